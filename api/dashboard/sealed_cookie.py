"""Encrypted sign-in state, kept in a cookie between two steps. The server therefore stores nothing
about users who abandon a sign-in, and the browser cannot read or change the state."""

from datetime import datetime
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from api.dashboard.session import is_plain_loopback
from api.resources import Resources
from domain.identity.provider import ATTEMPT_LASTS


class _Step(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    expires_at: datetime
    next: str


class AttemptStep(_Step):
    """State of a sign-in that is waiting for the identity provider's response."""

    step: Literal["attempt"] = "attempt"
    state: str
    nonce: str
    code_verifier: str


class NewcomerStep(_Step):
    """State of a sign-in by a user whose address is verified but who has no account."""

    step: Literal["newcomer"] = "newcomer"
    subject: str
    email: str


Step = TypeVar("Step", AttemptStep, NewcomerStep)


def give_step(request: Request, response: Response, step: _Step) -> None:
    """Set the cookie with the encrypted state of a sign-in."""
    resources: Resources = request.app.state.resources
    response.set_cookie(
        _name(request),
        resources.sealer.seal(step.model_dump_json()),
        max_age=int(ATTEMPT_LASTS.total_seconds()),
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        # Browsers send the cookie when the identity provider redirects back, but not when another
        # site submits a form.
        samesite="lax",
    )


def step_of(request: Request, shape: type[Step]) -> Step | None:
    """Return the browser's current sign-in step if it has the given type. Return None if the
    current step has another type or has expired."""
    resources: Resources = request.app.state.resources
    try:
        text = resources.sealer.unseal(request.cookies.get(_name(request), ""))
        step = shape.model_validate_json(text)
    except (ValueError, ValidationError):
        return None
    return step if resources.now() < step.expires_at else None


def take_step(request: Request, response: Response) -> None:
    """Delete the cookie with the state of a sign-in."""
    response.delete_cookie(
        _name(request),
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        samesite="lax",
    )


def _name(request: Request) -> str:
    return "sign-in" if is_plain_loopback(request) else "__Host-sign-in"
