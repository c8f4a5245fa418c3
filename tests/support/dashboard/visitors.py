"""Signed-in users of the pages, in a browser without JavaScript."""

import re
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape

import httpx

from adapters.system import new_ulid
from domain.identity.session import SECRET_BYTES, SessionKind
from domain.tenants.client import Role
from services.identity.sessions import Visitor, open_session
from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import browser
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@dataclass(frozen=True)
class PageVisitor:
    """A user of the pages. `http`: their browser, which does not follow redirects."""

    http: httpx.AsyncClient
    user_id: str

    async def see(self, path: str, **query: str) -> str:
        """Return the page at a path, which must exist."""
        answer = await self.http.get(path, params=query or None)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:2000]}"
        return answer.text

    async def send(
        self, path: str, form: str, fields: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Fill in and submit the form for `form` on the page at `path`."""
        hidden = form_of(await self.see(path), form)
        return await self.http.post(form, data={**hidden, **(fields or {})})

    async def follow(self, answer: httpx.Response) -> str:
        """Return the page that a form's response redirects to."""
        assert answer.status_code == 303, f"{answer.status_code} {answer.text[:2000]}"
        return await self.see(answer.headers["location"])


def form_of(page: str, form: str) -> dict[str, str]:
    """Return the hidden fields of the page's form for a path."""
    for opened in re.split(r"(?=<form\b)", page)[1:]:
        inner = opened.partition("</form>")[0]
        action = re.search(r'\baction="([^"]*)"', inner.partition(">")[0])
        if action and unescape(action.group(1)) == form:
            return {name: unescape(value) for name, value in _HIDDEN.findall(inner)}
    raise AssertionError(f"no form is sent to {form}: {page[:4000]}")


@asynccontextmanager
async def at_pages(
    front: LiveEngine, shop: Shop, role: Role = Role.OWNER, *, language: str = "en"
) -> AsyncIterator[PageVisitor]:
    """Return a signed-in member of the shop with a browser."""
    user_id = shop.owner_user_id if role is Role.OWNER else new_ulid()
    if role is not Role.OWNER:
        async with front.database.service() as connection:
            await join(connection, shop.client_id, user_id, role)
    async with front.app.state.resources.work.everywhere() as work:
        opened = await open_session(
            work,
            user_id,
            SessionKind.BROWSER,
            Visitor("127.0.0.0/24", "Browser/1.0"),
            secrets.token_bytes(SECRET_BYTES),
        )
    async with browser(front) as http:
        http.headers["accept-language"] = language
        http.cookies.set("session", opened.secret, domain="127.0.0.1")
        yield PageVisitor(http, user_id)
