"""An attachment: a file received with an event."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.plain_text import clean_line
from domain.intake.errors import AttachmentRefused
from domain.intake.refused_file import AttachmentRefusal

MAX_BYTES: Final = 10 * 1024 * 1024
MAX_FILES: Final = 20
MAX_DAY_BYTES: Final = 1024 * 1024 * 1024
"""Maximum total size, in bytes, of the files that a client receives in 24 hours."""
MAX_DAY_UNPROVED_BYTES: Final = 256 * 1024 * 1024
"""The part of MAX_DAY_BYTES, in bytes, available to messages from unverified senders."""
MAX_DAY_BYTES_WITHOUT_PLAN: Final = 64 * 1024 * 1024
"""For a client without a plan, the daily limit in bytes that replaces MAX_DAY_BYTES."""
MAX_DAY_UNPROVED_BYTES_WITHOUT_PLAN: Final = 32 * 1024 * 1024
"""For a client without a plan, the daily limit in bytes that replaces MAX_DAY_UNPROVED_BYTES."""

MAX_REPLY_FILES: Final = 5
"""Maximum number of files that a member can attach to a reply."""
MAX_REPLY_BYTES: Final = 5 * 1024 * 1024
"""Maximum total size, in bytes, of a reply's files. Every supported channel accepts this size."""

MAX_DAY_UPLOADS: Final = 1_000
"""Maximum number of files that a client's members upload in 24 hours. Deleted files count."""

DELETED: Final = "deleted"
"""The reason of a member's file that was deleted before it was sent. It is `refused`, never shown,
and remains without content for the daily limits."""

MAX_NAME_CHARS: Final = 200

_NAMELESS: Final = "fichier"


class AttachmentState(StrEnum):
    """The state of an attachment. A `refused` file is not stored, for example because of its size
    or type."""

    STORED = "stored"
    REFUSED = "refused"


class Attachment(BaseModel):
    """An attachment as shown to users and brains. `media_type` is detected from the bytes, or None
    for a type that is not stored. `reason` is the stable code of a refusal, or None."""

    model_config = ConfigDict(frozen=True)

    id: str
    event_id: str
    name: str
    media_type: str | None
    size: int
    state: AttachmentState
    reason: str | None
    created_at: datetime


def check_reply_files(sizes: Sequence[int]) -> None:
    """Raise AttachmentRefused if one reply cannot contain files of these sizes, in bytes."""
    if len(sizes) > MAX_REPLY_FILES:
        raise AttachmentRefused(AttachmentRefusal.TOO_MANY)
    if sum(sizes) > MAX_REPLY_BYTES:
        raise AttachmentRefused(AttachmentRefusal.TOO_LARGE)


def clean_file_name(name: str) -> str:
    """Return a sender's file name, made safe for an HTTP header and a file system.

    The result has at most MAX_NAME_CHARS characters, no folders, control characters or leading dot,
    and is never empty.
    """
    last = clean_line(name[-4 * MAX_NAME_CHARS :].replace("\\", "/").rpartition("/")[2], 4_000)
    plain = last.strip(". ")
    if len(plain) > MAX_NAME_CHARS:
        # Keep the end of the name because it contains the extension.
        plain = plain[-MAX_NAME_CHARS:].lstrip(". ")
    return plain or _NAMELESS
