"""The Idempotency-Key header of a request that may be retried."""

from typing import Annotated, Final

from fastapi import Depends, Request

from api.route import Part
from domain.intake.errors import InvalidIdempotencyKey

_VISIBLE_ASCII: Final = "^[!-~]([ -~]*[!-~])?$"


class RepeatableBy(Part):
    """A dependency that returns the Idempotency-Key header, or None. A repeated request with the
    same body gets the same response. Raises InvalidIdempotencyKey."""

    # 409 and 422 report conflicts with an earlier request that used the same key.
    errors = (400, 409, 422)
    parameters = (
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Within 24 hours, the same key and body get the same response.",
            "schema": {"type": "string", "maxLength": 255, "pattern": _VISIBLE_ASCII},
        },
    )

    async def __call__(self, request: Request) -> str | None:
        key = request.headers.get("idempotency-key")
        if key is not None and not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
            raise InvalidIdempotencyKey
        return key


IdempotencyKeyDep = Annotated[str | None, Depends(RepeatableBy())]
