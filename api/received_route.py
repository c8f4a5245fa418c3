"""The OpenAPI description of routes that only platforms call, with the platforms' own bodies."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from api.openapi import RETRY_AFTER, Described
from api.schemas.core.error import ErrorBody


class ReceivedAnswer(BaseModel):
    """The webhook is stored, or was stored earlier."""

    received: bool


def described_receiver(
    statuses: Sequence[int] = (), parameters: Sequence[Described] = ()
) -> dict[str, Any]:
    """Return the options that describe a route for a platform's webhooks. `statuses`: additional
    statuses of its errors."""
    body: Described = {
        "type": "object",
        "additionalProperties": True,
        "description": "Body in the platform's own format, with the platform's own signature.",
    }
    return {
        "responses": {
            200: {"model": ReceivedAnswer},
            **{one: {"model": ErrorBody} for one in (400, 405, 408, 413, 500, *statuses)},
            429: {"model": ErrorBody, "headers": RETRY_AFTER},
        },
        "openapi_extra": {
            **({"parameters": [*parameters]} if parameters else {}),
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": body, "example": {"id": 1042}}},
            },
        },
    }
