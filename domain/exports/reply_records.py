"""Export records for members' replies and internal notes in conversations."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import Count, Id, Record, Time
from domain.runs.teammate_reply import ReplyState


class ReplyRecord(Record):
    """A member's reply in a conversation. A sent reply is also one of the conversation's messages.
    The service writes the record when a member sends a reply, and updates it when the reply's state
    changes."""

    id: Annotated[Id, Field(description="ULID of the reply.")]
    conversation_id: Annotated[Id, Field(description="ULID of the conversation.")]
    event_id: Annotated[
        Id, Field(description="ULID of the event with the message that the reply answers.")
    ]
    run_id: Annotated[Id, Field(description="ULID of the run for that message.")]
    step: Annotated[
        Count,
        Field(description="Step number under which the reply is listed among the run's actions."),
    ]
    author: Annotated[str, Field(description="Member who wrote the reply.")]
    body: Annotated[str, Field(description="Text of the reply.")]
    state: Annotated[
        ReplyState,
        Field(
            description=(
                "State of the reply; `unknown` means that the reply may or may not have arrived."
            )
        ),
    ]
    error_code: Annotated[
        str | None,
        Field(description="Reason why the reply was not sent; null if sending did not fail."),
    ]
    created_at: Annotated[Time, Field(description="Time at which the member wrote the reply.")]
    send_at: Annotated[Time, Field(description="Time until which the reply could be undone.")]
    finished_at: Annotated[
        Time | None, Field(description="Time at which the outcome was known; null until then.")
    ]


class NoteRecord(Record):
    """A member's internal note in a conversation. The customer and the agent never see the note."""

    id: Annotated[Id, Field(description="ULID of the note.")]
    conversation_id: Annotated[Id, Field(description="ULID of the conversation.")]
    event_id: Annotated[
        Id,
        Field(
            description=(
                "ULID of the event with the customer's latest message at the time of the note."
            )
        ),
    ]
    author: Annotated[str, Field(description="Member who wrote the note.")]
    body: Annotated[str, Field(description="Text of the note.")]
    created_at: Annotated[Time, Field(description="Time at which the member wrote the note.")]
