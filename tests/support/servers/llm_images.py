"""Images in the formats of model providers."""

import base64
from typing import Any, Final

TAKEN: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
MAX_BYTES: Final = 5 * 1024 * 1024

Image = tuple[str, bytes]
"""Media type and bytes."""


def images_of(messages: list[dict[str, Any]]) -> list[Image]:
    contents = [message["content"] for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return [found for part in parts if (found := _image(part)) is not None]


def is_taken(image: Image) -> bool:
    return image[0] in TAKEN and 0 < len(image[1]) <= MAX_BYTES


def _image(part: dict[str, Any]) -> Image | None:
    match part:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            head, _, data = url.partition(";base64,")
            return head.removeprefix("data:"), base64.b64decode(data, validate=True)
        case {"type": "image", "source": {"type": "base64", "media_type": form, "data": data}}:
            return form, base64.b64decode(data, validate=True)
    return None
