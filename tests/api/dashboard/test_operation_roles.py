"""An HTTP operation requires the same roles as its page.

`ACCESS` and `SESSION_ACCESS` are verified over HTTP (`test_access.py`, and below);
`test_page_access.py` verifies the pages' roles. Here the two are compared.
"""

import tomllib
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Final

import pytest

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.page_list import page_routes
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.access import ACCESS, Client
from tests.support.tenants.served_routes import Route
from tests.support.tenants.session_access import SESSION_ACCESS, request_as
from tests.support.tenants.shop import Shop, open_shop

OPERATIONS: Final[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("operations.toml").read_text()
)["http"]
# Webhook schemas are public documentation; their page belongs to the webhooks.
PUBLIC: Final = frozenset({("GET", "/api/webhook-events"), ("GET", "/api/webhook-events/{event}")})

Roles = Set[Role] | None
"""None: the operation or page requires no membership."""


def operation_roles() -> dict[Route, Roles]:
    by_session = {route: access.roles for route, access in SESSION_ACCESS.items()}
    members = {
        route: None if access.client is Client.NONE else access.roles
        for route, access in ACCESS.items()
    }
    return {**members, **by_session}


def page_roles() -> dict[Route, Roles]:
    return {(one.method, one.path): one.roles for one in page_routes()}


def differences(operations: Mapping[Route, Roles], pages: Mapping[Route, Roles]) -> list[str]:
    """Return the operations whose roles differ from their page's.

    A reading operation corresponds to an opened page, and a writing one to a submitted form. A page
    without membership may show what every member can read about themselves.
    """
    wrong = []
    for operation, path in OPERATIONS.items():
        method, _, route = operation.partition(" ")
        if path.startswith("none: ") or (method, route) in PUBLIC:
            continue
        page = ("GET" if method == "GET" else "POST", path)
        if page not in pages:
            wrong.append(f"{operation}: {' '.join(page)} does not exist")
        elif operations.get((method, route)) not in (pages[page], _same_person(pages[page])):
            wrong.append(operation)
    return wrong


def _same_person(roles: Roles) -> Roles:
    """Return whether the page for every member shows what users can read about themselves, like
    `/app/me`."""
    return None if roles == frozenset(Role) else roles


def test_each_operation_demands_its_pages_roles() -> None:
    assert differences(operation_roles(), page_roles()) == []


def _changed(roles: Mapping[Route, Roles]) -> Iterator[tuple[Route, dict[Route, Roles]]]:
    for operation, path in OPERATIONS.items():
        method, _, route = operation.partition(" ")
        if roles.get((method, route)) is not None and not path.startswith("none: "):
            other = frozenset({Role.VIEWER}) ^ frozenset(roles[method, route] or ())
            yield (method, route), {**roles, (method, route): other}


def test_one_operation_that_differs_is_found() -> None:
    """The comparison detects each operation whose roles gain or lose the viewer."""
    before = differences(operation_roles(), page_roles())
    missed = [
        route
        for route, roles in _changed(operation_roles())
        if differences(roles, page_roles()) == before
    ]

    assert missed == []


def test_every_operation_of_a_session_is_compared(front: LiveEngine) -> None:
    """An operation without a row is public, for API clients, or part of a user's own sign-in."""
    paths = front.app.openapi()["paths"]
    by_session = {
        (method.upper(), path)
        for path, methods in paths.items()
        for method, described in methods.items()
        if {"session", "bearer"} & {name for one in described.get("security", ()) for name in one}
    }

    assert by_session
    assert by_session <= {*ACCESS, *SESSION_ACCESS}
    assert not PUBLIC & by_session


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("route", sorted(SESSION_ACCESS), ids=" ".join)
async def test_a_session_has_its_roles_rights(front: LiveEngine, route: Route, role: Role) -> None:
    # No playbook matches, so the gateway responds without a worker.
    shop = await open_shop(front.database, event_type="email.*")

    answer = await request_as(front, shop, route, await person(front, shop, role))

    if role in SESSION_ACCESS[route].roles:
        assert answer.status_code not in (401, 403), answer.text
    else:
        assert code(answer) == (403, "role_required")


async def test_a_viewer_exports_nothing_and_reads_no_audit_entry(
    front: LiveEngine, shop: Shop
) -> None:
    """Attack: a viewer's session requests the whole export with its audit entries."""
    viewer = await person(front, shop, Role.VIEWER)
    for query in ("", "?format=csv"):
        answer = await front.http.get(f"/api/client/export-data{query}", headers=viewer)
        assert code(answer) == (403, "role_required")
        assert "audit_entries" not in answer.text

    by_key = await front.http.get("/api/client/export-data", headers=shop.headers)
    assert by_key.json()["audit_entries"] is not None
