"""A message's files as a brain sees them, and the choice of the files to show."""

import re
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.intent import Intent
from domain.core.text import fold
from domain.intake.attachment import Attachment, AttachmentState
from domain.intake.attachment_type import SHOWN_INLINE

MAX_IMAGES: Final = 4
MAX_IMAGE_BYTES: Final = 5 * 1024 * 1024
"""The total size of all images of one question."""

# Words for attachments, in folded text.
_REFERS: Final = re.compile(
    r"\b(?:photos?|images?|pieces? jointes?|ci[- ]?joints?|ci[- ]?jointes?|en pj|captures?|scans?"
    r"|attach(?:ed|ing|ments?)|pictures?|pics?|screenshots?|enclosed|pdfs?|documents?|fichiers?"
    r"|files?|justificatifs?)\b"
)
_PROVED_BY_PHOTOS: Final = frozenset(
    {Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT, Intent.WRONG_ITEM, Intent.MISSING_ITEM}
)


class ShownFile(BaseModel):
    """`media_type`: detected from the bytes; None if the file is not stored. `data`: the bytes of
    an image that is shown to a brain that reads images, else None."""

    model_config = ConfigDict(frozen=True)

    name: str
    media_type: str | None
    size: int
    data: bytes | None = Field(default=None, repr=False)


def images_to_show(attachments: Sequence[Attachment]) -> frozenset[str]:
    """Return the ids of the images to show, in order, up to the number and size limits."""
    chosen: set[str] = set()
    left = MAX_IMAGE_BYTES
    for one in attachments:
        is_image = one.state is AttachmentState.STORED and one.media_type in SHOWN_INLINE
        if is_image and one.size <= left and len(chosen) < MAX_IMAGES:
            chosen.add(one.id)
            left -= one.size
    return frozenset(chosen)


def depends_on_files(text: str, intents: Sequence[Intent]) -> bool:
    """Return whether the text mentions a file, or an intent is proved by photos. Other files, such
    as logos in a mail's signature, do not count."""
    return bool(_REFERS.search(fold(text)) or not _PROVED_BY_PHOTOS.isdisjoint(intents))
