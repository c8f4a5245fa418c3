"""Who can open each page and submit each form: derived from the routes, and tested with each
role."""

import re
from collections.abc import Iterator
from typing import Never

import httpx
import pytest

from adapters.system import new_ulid
from domain.core.errors import InvalidBody
from domain.tenants.client import Role
from scripts.page_access import FILE, table
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.demo_pages import unlimited
from tests.support.dashboard.page_list import PageRoute, page_routes
from tests.support.dashboard.visitors import PageVisitor, at_pages, form_of
from tests.support.tenants.shop import Shop

# Pages for users without a membership. Each checks its own requirements.
WITHOUT_MEMBERSHIP = (
    *("/app/sign-in", "/app/sign-out", "/app/signed-out", "/app/verify", "/app/no-client"),
    "/app/invitations",
    *("/app/enter/{token}", "/app/oidc/start", "/app/oidc/callback", "/app/oidc/shop"),
    *("/app/sessions", "/app/rate/{token}", "/app/unsubscribe/{token}", "/app/sign-up"),
    # Redirects to the inbox.
    *("/app/reviews", "/app/conversations"),
)
MEMBERS = tuple(one for one in page_routes() if one.roles is not None)
SEEN = tuple(one for one in MEMBERS if one.method == "GET")
SENT = tuple(one for one in MEMBERS if one.method == "POST")


@pytest.fixture(autouse=True)
def in_a_hurry(front: LiveEngine) -> Iterator[None]:
    with unlimited(front.app):
        yield


def address_of(route: PageRoute) -> str:
    """Return a URL of the route with an unknown record."""
    return re.sub(r"\{[^}]*\}", lambda _: new_ulid(), route.path)


def test_the_table_is_of_these_routes() -> None:
    assert FILE.read_text() == table(), "python -m scripts.page_access writes it anew"


def test_every_page_names_its_roles() -> None:
    nameless = {one.path for one in page_routes() if one.roles is None}

    assert len(MEMBERS) > 10
    assert nameless <= {*WITHOUT_MEMBERSHIP}


def test_pages_are_looked_at_and_forms_are_sent() -> None:
    assert {one.method for one in page_routes()} == {"GET", "POST"}


@pytest.mark.parametrize("role", Role)
async def test_a_page_opens_for_its_roles(front: LiveEngine, shop: Shop, role: Role) -> None:
    wrong = []
    async with at_pages(front, shop, role) as visitor:
        for route in SEEN:
            status = (await visitor.http.get(address_of(route))).status_code
            if not _fits(route, role, status):
                wrong.append((route.path, status))
    assert wrong == []


@pytest.mark.parametrize("role", Role)
async def test_a_form_is_taken_from_its_roles(
    front: LiveEngine, shop: Shop, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A permitted user's request reaches the form's effect, which the test replaces."""
    monkeypatch.setattr("api.dashboard.post.Post", _let_in)
    wrong = []
    async with at_pages(front, shop, role) as visitor:
        hidden = await _hidden(visitor)
        for route in SENT:
            fields = {**hidden, "_once": new_ulid(), "_back": "/app"}
            status = (await visitor.http.post(address_of(route), data=fields)).status_code
            if not _fits(route, role, status):
                wrong.append((route.path, status))
    assert wrong == []


def _let_in(*_: object) -> Never:
    raise InvalidBody("let in")


def _fits(route: PageRoute, role: Role, status: int) -> bool:
    if route.roles is not None and role in route.roles:
        return status < 500 and status not in (401, 403)
    return status == 403 or (route.finds_owner and status == 404)


async def test_nobody_gets_in_without_a_session(front: LiveEngine, shop: Shop) -> None:
    wrong = []
    async with at_pages(front, shop) as visitor:
        visitor.http.cookies.clear()
        for route in MEMBERS:
            sent = {"_back": "/app"} if route.method == "POST" else None
            answer = await visitor.http.request(route.method, address_of(route), data=sent)
            if not answer.headers.get("location", "").startswith("/app/sign-in?next="):
                wrong.append((route.path, route.method, answer.status_code))
    assert wrong == []


async def test_a_form_of_another_site_is_refused(front: LiveEngine, shop: Shop) -> None:
    wrong = []
    async with at_pages(front, shop) as visitor:
        good = {**await _hidden(visitor), "_once": new_ulid(), "_back": "/app"}
        for route in SENT:
            path = address_of(route)
            for fields, site in (
                ({**good, "csrf": "another"}, "same-origin"),
                ({"_once": new_ulid()}, "same-origin"),
                (good, "cross-site"),
                (good, "same-site"),
            ):
                headers = {"sec-fetch-site": site}
                answer = await visitor.http.post(path, data=fields, headers=headers)
                if answer.status_code != 403:
                    wrong.append((route.path, site, answer.status_code))
    assert wrong == []


async def test_every_page_has_its_headers(front: LiveEngine, shop: Shop) -> None:
    wrong = []
    async with at_pages(front, shop) as visitor:
        for route in SEEN:
            answer = await visitor.http.get(address_of(route))
            lacks = _lacks if "text/html" in answer.headers.get("content-type", "") else _leaks
            if answer.status_code == 200 and (found := lacks(answer.headers, answer.text)):
                wrong.append((route.path, found))
    # These are parts of the pages that load them.
    for part in ("/app/needs-you", "/app/palette", "/app/home/improvement", "/app/inbox/list"):
        wrong.remove((part, ["one h1", "a title"]))
    assert wrong == []


def _leaks(headers: httpx.Headers, _: str) -> list[str]:
    """Return what leaks through a file's headers: it may be stored by the user, but not by
    caches."""
    promises = {
        "a file": headers.get("content-disposition", "").startswith("attachment"),
        "no-store": "no-store" in headers.get("cache-control", ""),
    }
    return [promise for promise, kept in promises.items() if not kept]


def _lacks(headers: httpx.Headers, page: str) -> list[str]:
    """Return what a page's headers or text lack."""
    policy = headers.get("content-security-policy", "")
    promises = {
        "default-src 'none'": "default-src 'none'" in policy,
        "frame-ancestors 'none'": "frame-ancestors 'none'" in policy,
        "base-uri 'none'": "base-uri 'none'" in policy,
        "nothing unsafe": "unsafe" not in policy,
        "scripts by nonce": bool(re.search(r"script-src 'nonce-[\w-]{22}'(;|$)", policy)),
        "trusted types": "require-trusted-types-for 'script'" in policy,
        "private, no-store": headers.get("cache-control") == "private, no-store",
        "nosniff": headers.get("x-content-type-options") == "nosniff",
        "referrer": headers.get("referrer-policy") == "same-origin",
        "no inline style": not re.search(r"<style|\sstyle=", page),
        "no inline script": not re.search(r"<script(?![^>]*\bsrc=)|<[^>]*\son\w+=\"", page),
        "one h1": len(re.findall(r"<h1\b", page)) == 1,
        "a title": bool(re.search(r"<title>[^<]*\S[^<]*</title>", page)),
        "at most 60 KB": len(page.encode()) <= 60_000,
    }
    return [promise for promise, kept in promises.items() if not kept]


async def _hidden(visitor: PageVisitor) -> dict[str, str]:
    """Return the hidden fields of each of the visitor's forms."""
    return form_of(await visitor.see("/app/me"), "/app/me")
