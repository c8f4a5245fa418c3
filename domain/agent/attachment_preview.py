"""Choose which attachments of a message to show to a brain."""

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
"""Maximum total size, in bytes, of all images in one request to a brain."""

# Words that refer to attachments, in lower case and without accents.
_REFERS: Final = re.compile(
    r"\b(?:photos?|images?|pieces? jointes?|ci[- ]?joints?|ci[- ]?jointes?|en pj|captures?|scans?"
    r"|attach(?:ed|ing|ments?)|pictures?|pics?|screenshots?|enclosed|pdfs?|documents?|fichiers?"
    r"|files?|justificatifs?)\b"
)
_PROVED_BY_PHOTOS: Final = frozenset(
    {Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT, Intent.WRONG_ITEM, Intent.MISSING_ITEM}
)


class AttachmentPreview(BaseModel):
    """An attachment as shown to a brain. `media_type` is detected from the bytes, and is None if
    the file is not stored. `data` is set only for images."""

    model_config = ConfigDict(frozen=True)

    name: str
    media_type: str | None
    size: int
    data: bytes | None = Field(default=None, repr=False)


def images_to_show(attachments: Sequence[Attachment]) -> frozenset[str]:
    """Return the ids of the images to show to a brain, earliest first, within MAX_IMAGES and
    MAX_IMAGE_BYTES."""
    chosen: set[str] = set()
    left = MAX_IMAGE_BYTES
    for one in attachments:
        is_image = one.state is AttachmentState.STORED and one.media_type in SHOWN_INLINE
        if is_image and one.size <= left and len(chosen) < MAX_IMAGES:
            chosen.add(one.id)
            left -= one.size
    return frozenset(chosen)


def depends_on_files(text: str, intents: Sequence[Intent]) -> bool:
    """Return True if the answer depends on the attachments: the message's text mentions one, or an
    intent needs photos as proof.

    Other attachments do not matter, because they may be logos in an email signature.
    """
    return bool(_REFERS.search(fold(text)) or not _PROVED_BY_PHOTOS.isdisjoint(intents))
