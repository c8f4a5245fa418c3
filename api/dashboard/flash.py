"""A one-time message about the previous action, shown on the next page. A cookie carries the
message, and the next page deletes the cookie."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from api.dashboard.session import is_plain_loopback
from api.resources import Resources
from domain.dashboard.overview import FirstStep

_LASTS_S: Final = 60


class Flash(BaseModel):
    """A one-time message. `key` is the key of its text, such as "content.saved", an error code, or
    empty. `facts` fill placeholders. `reason` explains the violated rule, by language. `next_step`
    is an onboarding step to link to."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["done", "problem"]
    key: str
    facts: Mapping[str, str] = {}
    reason: Mapping[str, str] = {}
    next_step: FirstStep | None = None


def give_flash(request: Request, response: Response, flash: Flash) -> None:
    """Set the cookie with a message for the next page."""
    resources: Resources = request.app.state.resources
    response.set_cookie(
        _name(request),
        resources.sealer.seal(flash.model_dump_json()),
        max_age=_LASTS_S,
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        samesite="lax",
    )


def flash_of(request: Request) -> Flash | None:
    """Return the message in the request's cookie, or None if the cookie is missing or invalid."""
    sealed = request.cookies.get(_name(request))
    if not sealed:
        return None
    resources: Resources = request.app.state.resources
    try:
        return Flash.model_validate_json(resources.sealer.unseal(sealed))
    except (ValueError, ValidationError):
        return None


def take_flash(request: Request, response: Response) -> None:
    """Delete the cookie with the message."""
    response.delete_cookie(
        _name(request),
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        samesite="lax",
    )


def _name(request: Request) -> str:
    return "flash" if is_plain_loopback(request) else "__Host-flash"
