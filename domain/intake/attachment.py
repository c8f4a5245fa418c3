"""The attachment: a file that came with an event."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.plain_text import clean_line

MAX_BYTES: Final = 10 * 1024 * 1024
MAX_FILES: Final = 20
MAX_DAY_BYTES: Final = 1024 * 1024 * 1024
"""Of all files of a client that came in 24 hours."""
MAX_DAY_UNPROVED_BYTES: Final = 256 * 1024 * 1024
"""Of those, what messages brought that prove no sender."""

MAX_NAME_CHARS: Final = 200

_NAMELESS: Final = "fichier"


class AttachmentState(StrEnum):
    """`refused`: too large, of another type than images and PDFs, or not what it says it is."""

    STORED = "stored"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file as it came. `name`, `claimed_type`: the sender's words."""

    name: str
    claimed_type: str
    data: bytes = field(repr=False)


class Attachment(BaseModel):
    """One as people and brains see it. `media_type`: what its bytes say; None where that is
    nothing that is kept. `size` in bytes. `reason`: why it was refused, a stable code."""

    model_config = ConfigDict(frozen=True)

    id: str
    event_id: str
    name: str
    media_type: str | None
    size: int
    state: AttachmentState
    reason: str | None
    created_at: datetime


def clean_file_name(name: str) -> str:
    """A sender's name of a file, fit for a header and for a disk: no folders, no control
    characters, at most MAX_NAME_CHARS, never empty and never hidden."""
    last = clean_line(name[-4 * MAX_NAME_CHARS :].replace("\\", "/").rpartition("/")[2], 4_000)
    plain = last.strip(". ")
    if len(plain) > MAX_NAME_CHARS:
        # Its end tells what it is.
        plain = plain[-MAX_NAME_CHARS:].lstrip(". ")
    return plain or _NAMELESS
