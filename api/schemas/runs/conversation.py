"""Request and response models for the dashboard's conversation routes."""

from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody
from api.schemas.reviews.written import without_gaps
from domain.core.errors import InvalidBody
from domain.core.ids import ULID
from domain.intake.attachment import MAX_REPLY_FILES, Attachment
from domain.intake.event import Channel
from domain.reviews.escalation import MAX_WORDS
from domain.reviews.waiting import ShownWait
from domain.runs.correspondence import ConversationSummary, Message
from domain.runs.teammate_reply import (
    MAX_INTERNAL_NOTE,
    InternalNote,
    ReplyState,
    TeammateReply,
)
from domain.runs.triage import (
    MAX_AT_ONCE,
    MAX_TAG,
    MAX_TAGS,
    ConversationStatus,
    ConversationTriage,
    TriageChange,
)
from domain.tenants.user import MAX_USER_ID
from store.runs.conversation_lists import Talk, TalkFilter, TalkPlace

# The pattern uses Python's definition of white space, as in domain/reviews/escalation.py. It
# excludes NUL because PostgreSQL cannot store NUL.
_WRITTEN: Final = r"^[^\x00]*[^\x00\s][^\x00]*$"


class ReplyBody(StrictBody):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={
            "examples": [{"text": "Bonjour, votre colis est parti ce matin. Bonne journée, Anna"}]
        },
    )

    text: Annotated[str, AfterValidator(without_gaps)] = Field(
        pattern=_WRITTEN,
        max_length=MAX_WORDS,
        description=(
            "Text to send to the customer. It must not contain a template's placeholder, such as "
            "`[order_number]`."
        ),
    )
    latest_message: Annotated[
        str | None,
        Field(
            pattern=ULID,
            description=(
                "Event id of the customer's latest message that the member saw. The reply is "
                "rejected if the customer has sent another message since then. The conversation's "
                "`latest_message` contains this id. If omitted, this check is skipped."
            ),
        ),
    ] = None
    attachments: Annotated[
        tuple[Annotated[str, Field(pattern=ULID)], ...],
        Field(
            strict=False,
            max_length=MAX_REPLY_FILES,
            description="Ids of files that the member has uploaded for this reply.",
        ),
    ] = ()


class UndoReplyBody(StrictBody):
    pass


class NoteBody(StrictBody):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={"examples": [{"text": "Cliente fidèle : geste commercial possible."}]},
    )

    text: str = Field(
        pattern=_WRITTEN,
        max_length=MAX_INTERNAL_NOTE,
        description="Text of the note. Only members can read it.",
    )


class ReplyAnswer(BaseModel):
    reply_id: str
    conversation_id: str
    state: ReplyState
    send_at: datetime = Field(
        description="Time at which the reply is sent. Until then, it can be undone."
    )


class UndoneReply(BaseModel):
    reply_id: str
    conversation_id: str
    text: str = Field(
        description="Text of the reply that was undone. The service no longer stores it."
    )


class NoteAnswer(BaseModel):
    note_id: str
    conversation_id: str
    created_at: datetime


CURSOR: Final = rf"^\d{{1,17}}-{ULID.strip('^$')}$"
_USER: Final = r"^[^\x00]*$"
_Tag = Annotated[str, Field(max_length=MAX_TAG, pattern=_WRITTEN)]


class ConversationQuery(ClientQuery):
    status: ConversationStatus | None = None
    assignee: Annotated[
        str | None,
        Field(
            max_length=MAX_USER_ID,
            pattern=_USER,
            description="Id of the assigned member; empty for conversations without an assignee.",
        ),
    ] = None
    tag: Annotated[str | None, Field(max_length=MAX_TAG, pattern=r"^[^\x00]+$")] = None
    channel: Channel | None = None
    unanswered: Annotated[
        bool, Field(description="Return only conversations with an unanswered message.")
    ] = False
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=CURSOR, description="Value of `next_cursor` from the previous page."),
    ] = None

    @property
    def wanted(self) -> TalkFilter:
        return TalkFilter(
            status=self.status,
            assignee=self.assignee,
            tag=self.tag,
            channel=self.channel,
            unanswered=self.unanswered,
        )


class ConversationList(BaseModel):
    conversations: list[Talk]
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class ConversationThread(BaseModel):
    conversation: ConversationSummary
    triage: ConversationTriage
    latest_message: str | None = Field(
        description=(
            "Event id of the customer's message that a reply would answer, to send with the "
            "reply; null if there is none."
        )
    )
    messages: tuple[Message, ...] = Field(description="The latest messages, oldest first.")
    notes: tuple[InternalNote, ...] = Field(description="The latest notes, oldest first.")
    unsent_replies: tuple[TeammateReply, ...] = Field(
        description="Latest replies that are not among the messages, oldest first."
    )
    unsent_attachments: tuple[Attachment, ...] = Field(
        description="Files that the member has uploaded, and that are not in a reply."
    )
    waiting: ShownWait | None = Field(
        description=(
            "Customer's wait for an answer; null if no message is waiting or the client has no "
            "target."
        )
    )


class _Handling(StrictBody):
    # These two fields are parsed from strings because JSON has no enums or times.
    status: Annotated[ConversationStatus | None, Field(strict=False)] = None
    snoozed_until: Annotated[
        AwareDatetime | None,
        Field(strict=False, description="Time at which a snoozed conversation reopens."),
    ] = None
    assignee: Annotated[
        str | None,
        Field(
            max_length=MAX_USER_ID,
            pattern=_USER,
            description="Id of a member; an empty string removes the assignee.",
        ),
    ] = None


class TriageBody(_Handling):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={
            "minProperties": 1,
            "examples": [{"status": "closed", "tags": ["remboursement"]}],
        },
    )

    tags: Annotated[
        tuple[_Tag, ...] | None,
        Field(
            strict=False,
            max_length=MAX_TAGS,
            description="New tags, which replace all current tags.",
        ),
    ] = None

    @property
    def change(self) -> TriageChange:
        return TriageChange(
            status=self.status,
            snoozed_until=self.snoozed_until,
            assignee=self.assignee,
            tags=self.tags,
        )


class ConversationsBody(_Handling):
    """A change to several conversations. It cannot change tags, because the given tags would
    replace each conversation's tags."""

    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={
            "minProperties": 2,
            "examples": [{"conversation_ids": ["01M7YSDHZSS3GSH7RJVZYVYSP5"], "status": "closed"}],
        },
    )

    conversation_ids: Annotated[
        tuple[Annotated[str, Field(pattern=ULID)], ...],
        Field(strict=False, min_length=1, max_length=MAX_AT_ONCE),
    ]

    def require_some(self) -> None:
        if self.model_fields_set == {"conversation_ids"}:
            raise InvalidBody("aucun champ à modifier")

    @property
    def change(self) -> TriageChange:
        return TriageChange(
            status=self.status, snoozed_until=self.snoozed_until, assignee=self.assignee
        )


class UpdatedConversation(ConversationTriage):
    conversation_id: str


class UpdatedConversations(BaseModel):
    conversations: list[UpdatedConversation]


def place_of(cursor: str | None) -> TalkPlace | None:
    """Return the position in a list of conversations that the cursor encodes."""
    if cursor is None:
        return None
    micros, _, last = cursor.partition("-")
    seconds, rest = divmod(int(micros), 1_000_000)
    return TalkPlace(datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest), last)


def cursor_of_place(place: TalkPlace | None) -> str | None:
    """Return the cursor for a position in a list of conversations, or None on the last page."""
    if place is None:
        return None
    micros = int(place.at.timestamp()) * 1_000_000 + place.at.microsecond
    return f"{micros}-{place.id}"
