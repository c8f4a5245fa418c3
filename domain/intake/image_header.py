"""Read the width and height of an image from its header, because a small file can decode to
gigabytes."""

from collections.abc import Callable, Mapping
from typing import Final

MAX_PIXELS: Final = 100_000_000
MAX_SIDE: Final = 30_000

_JPEG_SEGMENTS: Final = 2_000
# Start-of-frame markers of JPEG. C4, C8 and CC mark other segments.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
# Number of bytes searched. It is sufficient because HEIC files state image sizes in their first
# boxes, before any image data.
_HEIC_HEAD: Final = 256 * 1024

Size = tuple[int, int]


class UnreadableImage(Exception):
    """The image's header is not in the expected format, or is truncated."""


class TooManyPixels(Exception):
    """The decoded image would exceed MAX_PIXELS, or one of its sides would exceed MAX_SIDE."""


def check_image(data: bytes, form: str) -> None:
    """Raise UnreadableImage or TooManyPixels unless an image's dimensions are within the limits.

    `form` is "jpeg", "png", "gif", "webp" or "heic".
    """
    for width, height in _SIZES[form](data):
        if not width or not height:
            raise UnreadableImage
        if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
            raise TooManyPixels


def _number(data: bytes, begin: int, end: int, *, little: bool = False) -> int:
    if len(data) < end:
        raise UnreadableImage
    return int.from_bytes(data[begin:end], "little" if little else "big")


def _png(data: bytes) -> tuple[Size, ...]:
    if data[8:16] != b"\x00\x00\x00\x0dIHDR":
        raise UnreadableImage
    return ((_number(data, 16, 20), _number(data, 20, 24)),)


def _gif(data: bytes) -> tuple[Size, ...]:
    return ((_number(data, 6, 8, little=True), _number(data, 8, 10, little=True)),)


def _jpeg(data: bytes) -> tuple[Size, ...]:
    place = 2
    for _ in range(_JPEG_SEGMENTS):
        if data[place : place + 2] == b"\xff\xff":  # JPEG permits fill bytes before a marker.
            place += 1
            continue
        if data[place : place + 1] != b"\xff":
            raise UnreadableImage
        marker = _number(data, place + 1, place + 2)
        place += 2
        if marker in _BARE:
            continue
        if marker in _FRAMES:
            height = _number(data, place + 3, place + 5)
            return ((_number(data, place + 5, place + 7), height),)
        length = _number(data, place, place + 2)
        if length < 2:
            raise UnreadableImage
        place += length
    raise UnreadableImage


def _webp(data: bytes) -> tuple[Size, ...]:
    form = data[12:16]
    if form == b"VP8X":
        width = _number(data, 24, 27, little=True) + 1
        return ((width, _number(data, 27, 30, little=True) + 1),)
    if form == b"VP8L" and data[20:21] == b"\x2f":
        bits = _number(data, 21, 25, little=True)
        return (((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1),)
    if form == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width = _number(data, 26, 28, little=True) & 0x3FFF
        return ((width, _number(data, 28, 30, little=True) & 0x3FFF),)
    raise UnreadableImage


def _heic(data: bytes) -> tuple[Size, ...]:
    """Return the sizes of the image, its tiles and its thumbnails."""
    head = data[:_HEIC_HEAD]
    sizes: list[Size] = []
    place = head.find(b"ispe")
    while place >= 0:
        sizes.append((_number(head, place + 8, place + 12), _number(head, place + 12, place + 16)))
        place = head.find(b"ispe", place + 16)
    if not sizes:
        raise UnreadableImage
    return tuple(sizes)


_SIZES: Final[Mapping[str, Callable[[bytes], tuple[Size, ...]]]] = {
    "jpeg": _jpeg,
    "png": _png,
    "gif": _gif,
    "webp": _webp,
    "heic": _heic,
}
