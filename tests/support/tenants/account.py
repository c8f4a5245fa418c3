"""Dashboard requests about a client's keys, members and playbooks, and about the user."""

from typing import Any, Final

import httpx

from adapters.system import new_ulid, utc_now
from domain.identity.session import SECRET_BYTES, SessionKind
from domain.tenants.client import Role
from services.identity.sessions import Visitor, open_session
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

KEYS: Final = "/api/dashboard/keys"
MEMBERS: Final = "/api/dashboard/members"
INVITATIONS: Final = "/api/dashboard/invitations"
PLAYBOOKS: Final = "/api/dashboard/playbooks"
PLAYBOOK_FILE: Final = "/api/dashboard/playbook-file"
SESSIONS: Final = "/api/dashboard/sessions"
ME: Final = "/api/dashboard/me"
CLIENTS: Final = "/api/dashboard/clients"

Body = dict[str, Any] | None

LABEL: Final[dict[str, Any]] = {"label": "Caisse de Lyon"}
RETURNS: Final[dict[str, Any]] = {
    "name": "Retours",
    "event_type": "email.*",
    "threshold": 0.8,
    "active": True,
    "instructions": "Tutoyez.",
    "actions": {"reply": {"level": "autonomous"}, "note": {"level": "autonomous"}},
}
INVITED: Final[dict[str, Any]] = {"email": "lea@example.com", "role": "agent"}
FILE: Final[dict[str, Any]] = {"version": 1, "playbooks": [RETURNS]}

_KEY: Final = KEYS + "/{key_id}"
_PLAYBOOK: Final = PLAYBOOKS + "/{playbook_id}"
_VERSIONS: Final = _PLAYBOOK + "/versions"

MISSING: Final = {
    KEYS: "key_not_found",
    MEMBERS: "member_not_found",
    INVITATIONS: "invitation_not_found",
    PLAYBOOKS: "playbook_not_found",
}
FOR_MANAGERS: Final[tuple[tuple[str, str, Body], ...]] = (
    ("GET", KEYS, None),
    ("POST", KEYS, LABEL),
    ("GET", _KEY, None),
    ("PATCH", _KEY, LABEL),
    ("DELETE", _KEY, None),
    ("GET", MEMBERS, None),
    ("PATCH", MEMBERS + "/{user_id}", {"role": "viewer"}),
    ("DELETE", MEMBERS + "/{user_id}", None),
    ("GET", MEMBERS + "/{user_id}/keys", None),
    ("GET", INVITATIONS, None),
    ("POST", INVITATIONS, INVITED),
    ("POST", INVITATIONS + "/{invitation_id}/resend", None),
    ("DELETE", INVITATIONS + "/{invitation_id}", None),
    # This change loosens nothing. With an admin in addition to the owner, a loosening change would
    # be held.
    ("POST", PLAYBOOKS, {**RETURNS, "name": "Autre", "event_type": "widget.*", "actions": {}}),
    ("PUT", _PLAYBOOK, {**RETURNS, "threshold": 0.9}),
    ("DELETE", _PLAYBOOK, None),
    ("POST", _PLAYBOOK + "/activate", None),
    ("POST", _PLAYBOOK + "/deactivate", None),
    ("POST", _VERSIONS + "/{version}/restore", None),
    ("POST", PLAYBOOK_FILE, {"version": 1, "playbooks": []}),
)
FOR_MEMBERS: Final[tuple[tuple[str, str], ...]] = (
    ("GET", PLAYBOOKS),
    ("GET", _PLAYBOOK),
    ("GET", _PLAYBOOK + "/diff"),
    ("GET", _PLAYBOOK + "/gate"),
    ("GET", _PLAYBOOK + "/shadow"),
    ("GET", _PLAYBOOK + "/threshold-advice"),
    ("GET", _VERSIONS),
    ("GET", _VERSIONS + "/{version}"),
    ("GET", PLAYBOOK_FILE),
)
OF_ONESELF: Final[tuple[tuple[str, str], ...]] = (
    ("GET", ME),
    ("GET", CLIENTS),
    ("GET", ME + "/invitations"),
    ("GET", SESSIONS),
    ("DELETE", SESSIONS),
)
LEAVE: Final = ("DELETE", ME + "/clients/{client_id}")
RECEIVED: Final = ME + "/invitations"
ANSWERS: Final[tuple[tuple[str, str], ...]] = (
    ("POST", RECEIVED + "/{invitation_id}/accept"),
    ("POST", RECEIVED + "/{invitation_id}/decline"),
)
ONE_SESSION: Final = ("DELETE", SESSIONS + "/{session_id}")


def missing_of(path: str) -> str | None:
    return next((code for of, code in MISSING.items() if path.startswith(of + "/{")), None)


async def new_member(front: LiveEngine, shop: Shop, role: Role = Role.AGENT) -> str:
    """Create a user with that role, and return an id as another identity provider might issue
    it."""
    user_id = f"sub|{new_ulid().lower()}"
    async with front.database.service() as connection:
        members = MemberRepository(connection)
        await members.ensure_user(user_id, f"{user_id[4:]}@example.com", utc_now())
        await members.add(shop.client_id, user_id, role, utc_now())
    return user_id


async def signed_in(front: LiveEngine, user_id: str, network: str = "203.0.113.0/24") -> str:
    """Create a session for the user, and return its id."""
    random = new_ulid().encode().ljust(SECRET_BYTES)[:SECRET_BYTES]
    async with units_on(front.database).everywhere() as work:
        opened = await open_session(
            work, user_id, SessionKind.BROWSER, Visitor(network, "Firefox"), random
        )
    return opened.session.id


async def a_key(front: LiveEngine, owner: dict[str, str]) -> dict[str, str]:
    made = await _made(front, KEYS, LABEL, owner)
    return {"key_id": made["key"]["id"]}


async def a_playbook(front: LiveEngine, owner: dict[str, str]) -> dict[str, str]:
    """Create a playbook with two versions."""
    made = await _made(front, PLAYBOOKS, {**RETURNS, "threshold": 0.5}, owner)
    answer = await front.http.put(f"{PLAYBOOKS}/{made['id']}", json=RETURNS, headers=owner)
    assert answer.status_code == 200, answer.text
    return {"playbook_id": made["id"], "version": "1"}


async def an_invitation(front: LiveEngine, owner: dict[str, str]) -> dict[str, str]:
    return {"invitation_id": (await _made(front, INVITATIONS, INVITED, owner))["id"]}


async def _made(
    front: LiveEngine, path: str, body: dict[str, Any], headers: dict[str, str]
) -> dict[str, Any]:
    answer: httpx.Response = await front.http.post(path, json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found
