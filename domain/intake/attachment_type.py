"""Detect a file's type from its bytes, never from its name or claimed type.

Only images and PDFs are stored. Takes linear time.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from domain.core.attached_file import AttachedFile
from domain.intake.attachment import (
    MAX_BYTES,
    MAX_FILES,
)
from domain.intake.image_header import TooManyPixels, UnreadableImage, check_image
from domain.intake.pdf_content import InflateBudget, pdf_refusal
from domain.intake.refused_file import AttachmentRefusal


class MediaType(StrEnum):
    """The file types that are stored. Files of other types are refused."""

    JPEG = "image/jpeg"
    PNG = "image/png"
    GIF = "image/gif"
    WEBP = "image/webp"
    HEIC = "image/heic"
    PDF = "application/pdf"


SHOWN_INLINE: Final = frozenset({MediaType.JPEG, MediaType.PNG, MediaType.GIF, MediaType.WEBP})
"""Types that every browser displays as images, and that models can read."""

# The allowed file extensions for each type. If a name has no allowed extension, `download_name`
# appends the first extension in the list.
_ENDINGS: Final[dict[MediaType, tuple[str, ...]]] = {
    MediaType.JPEG: (".jpg", ".jpeg", ".jpe", ".jfif"),
    MediaType.PNG: (".png",),
    MediaType.GIF: (".gif",),
    MediaType.WEBP: (".webp",),
    MediaType.HEIC: (".heic", ".heif"),
    MediaType.PDF: (".pdf",),
}
_BEGINNINGS: Final = (
    (b"\xff\xd8\xff", MediaType.JPEG),
    (b"\x89PNG\r\n\x1a\n", MediaType.PNG),
    (b"GIF87a", MediaType.GIF),
    (b"GIF89a", MediaType.GIF),
    (b"%PDF-", MediaType.PDF),
)
_HEIC_BRANDS: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"})
# First bytes of executables and archives.
_EXECUTABLES: Final = (
    b"MZ",
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"#!",
    b"\x00asm",
    b"dex\n",
    b"L\x00\x00\x00\x01\x14\x02\x00",
)
_ARCHIVES: Final = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x07\x08",
    b"Rar!\x1a\x07",
    b"7z\xbc\xaf\x27\x1c",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"MSCF",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
)
_MARKUP_BEGINS: Final = (b"<", b"\xef\xbb\xbf<", b"\xff\xfe<\x00", b"\xfe\xff\x00<")
# Generic claimed types, which do not indicate the content.
_NO_CLAIM: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})


@dataclass(frozen=True, slots=True)
class Inspected:
    """An inspected file, with its SHA-256 as `digest`. A stored file has a `media_type`, and a
    refused one a `refusal`."""

    file: AttachedFile
    media_type: MediaType | None
    refusal: AttachmentRefusal | None
    digest: bytes


def inspect(files: Sequence[AttachedFile]) -> tuple[Inspected, ...]:
    """Return the inspection results for an event's attachments, in order. Attachments beyond the
    first MAX_FILES are refused."""
    budget = InflateBudget()
    return tuple(_inspected(file, position, budget) for position, file in enumerate(files))


def within(inspected: Sequence[Inspected], left: int) -> tuple[Inspected, ...]:
    """Return the inspected files, and refuse those that do not fit into the `left` bytes. Earlier
    files take precedence."""
    fitting: list[Inspected] = []
    for one in inspected:
        size = len(one.file.data)
        fits = one.refusal is not None or size <= left
        if one.refusal is None and fits:
            left -= size
        fitting.append(one if fits else replace(one, refusal=AttachmentRefusal.TOO_MUCH))
    return tuple(fitting)


def media_type_of(data: bytes) -> MediaType | None:
    """Return the file type indicated by the first bytes, or None for a type that is not stored."""
    for begin, media_type in _BEGINNINGS:
        if data.startswith(begin):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return MediaType.WEBP
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS:
        return MediaType.HEIC
    return None


def download_name(name: str, media_type: MediaType) -> str:
    """Return the name under which a browser saves the file. The extension matches the detected
    type, so that no program opens an image as a web page or an executable."""
    endings = _ENDINGS[media_type]
    return name if name.lower().endswith(endings) else name + endings[0]


def _inspected(file: AttachedFile, position: int, budget: InflateBudget) -> Inspected:
    digest = hashlib.sha256(file.data).digest()
    media_type = media_type_of(file.data)
    is_beyond = position >= MAX_FILES
    refusal = AttachmentRefusal.TOO_MANY if is_beyond else _refusal(file, media_type, budget)
    return Inspected(file, media_type, refusal, digest)


def _refusal(
    file: AttachedFile, media_type: MediaType | None, budget: InflateBudget
) -> AttachmentRefusal | None:
    if not file.data:
        return AttachmentRefusal.EMPTY
    if len(file.data) > MAX_BYTES:
        return AttachmentRefusal.TOO_LARGE
    if media_type is None:
        return _unkept(file.data)
    return _refusal_of(file, media_type, budget)


def _refusal_of(
    file: AttachedFile, media_type: MediaType, budget: InflateBudget
) -> AttachmentRefusal | None:
    if _contradicts(file.claimed_type, media_type):
        return AttachmentRefusal.NOT_AS_CLAIMED
    if media_type is MediaType.PDF:
        return pdf_refusal(file.data, budget)
    try:
        check_image(file.data, media_type.removeprefix("image/"))
    except UnreadableImage:
        return AttachmentRefusal.UNREADABLE
    except TooManyPixels:
        return AttachmentRefusal.TOO_MANY_PIXELS
    return None


def _unkept(data: bytes) -> AttachmentRefusal:
    if data.startswith(_EXECUTABLES):
        return AttachmentRefusal.EXECUTABLE
    if data.startswith(_ARCHIVES):
        return AttachmentRefusal.ARCHIVE
    if data[:1024].lstrip().startswith(_MARKUP_BEGINS):
        return AttachmentRefusal.MARKUP
    return AttachmentRefusal.UNKNOWN_TYPE


def _contradicts(claimed: str, media_type: MediaType) -> bool:
    """Return True if the sender's claimed type contradicts the detected type. Mail programs confuse
    image types, so an image may claim any image type except SVG."""
    said = claimed.partition(";")[0].strip().lower()
    if said in _NO_CLAIM:
        return False
    if media_type is MediaType.PDF:
        return said not in {"application/pdf", "application/x-pdf"}
    return not said.startswith("image/") or said.startswith("image/svg")
