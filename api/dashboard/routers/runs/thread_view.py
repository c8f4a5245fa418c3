"""A conversation's thread: messages, internal notes and unsent replies, in chronological order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from domain.runs.correspondence import Message
from domain.runs.teammate_reply import InternalNote, TeammateReply


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """One entry of the thread: exactly one of `message`, `note` and `reply` is set."""

    at: datetime
    message: Message | None = None
    note: InternalNote | None = None
    reply: TeammateReply | None = None

    @property
    def author(self) -> str | None:
        """Return the name of the actor who wrote the entry, or None for the customer and the
        agent."""
        if self.message is not None:
            return self.message.written_by
        written = self.note or self.reply
        return None if written is None else written.author


def thread_of(
    messages: Sequence[Message],
    notes: Sequence[InternalNote],
    replies: Sequence[TeammateReply],
) -> list[ThreadEntry]:
    """Return all entries, oldest first."""
    entries = [
        *(ThreadEntry(one.created_at, message=one) for one in messages),
        *(ThreadEntry(one.created_at, note=one) for one in notes),
        *(ThreadEntry(one.created_at, reply=one) for one in replies),
    ]
    return sorted(entries, key=lambda entry: entry.at)
