"""Dashboard users, and their requests about reviews."""

import dataclasses
from datetime import datetime
from typing import Any

import httpx

from adapters.system import new_ulid
from domain.tenants.client import Role
from services.core.unit_of_work import UnitsOfWork
from tests.support.core.engine import LiveEngine
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

REVIEWS = "/api/dashboard/reviews"
# The actions on a review, each with the smallest body.
ACTIONS: dict[str, dict[str, Any]] = {
    "claim": {},
    "release": {},
    "approve": {},
    "edit": {"text": "Bonjour."},
    "reject": {},
}


async def person(front: LiveEngine, shop: Shop, role: Role) -> dict[str, str]:
    """Return the headers of a new user with that role."""
    user_id = shop.owner_user_id if role is Role.OWNER else new_ulid()
    if role is not Role.OWNER:
        async with front.database.service() as connection:
            await join(connection, shop.client_id, user_id, role)
    return bearer(session_token(front.settings, user_id))


def admin(front: LiveEngine) -> dict[str, str]:
    return bearer(session_token(front.settings, "internal", admin=True))


async def act(
    front: LiveEngine, review_id: str, what: str, headers: dict[str, str], **body: object
) -> httpx.Response:
    json = {**ACTIONS[what], **body} or None
    return await front.http.post(f"{REVIEWS}/{review_id}/{what}", json=json, headers=headers)


async def listed(
    front: LiveEngine, headers: dict[str, str], **query: str | int
) -> list[dict[str, Any]]:
    answer = await front.http.get(REVIEWS, params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["reviews"]
    return found


def set_clock(front: LiveEngine, now: datetime) -> None:
    resources = front.app.state.resources
    work = UnitsOfWork(resources.database, resources.engine, lambda: now, resources.new_id)
    front.app.state.resources = dataclasses.replace(resources, now=lambda: now, work=work)


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")
