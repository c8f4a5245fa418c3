"""A stack with the demo's data, and the current code's pages over it."""

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import httpx
import sqlalchemy as sa
from fastapi import FastAPI

from api.app import create_app
from demo.content import OWNER
from domain.identity.session import SECRET_BYTES, SessionKind
from domain.intake.rate_limit import LimitScope
from embedded.data_folder import running_stack
from embedded.ports import free_port
from services.core.unit_of_work import UnitsOfWork
from services.identity.sessions import Visitor, open_session
from settings import load_settings
from store.tenants.tables import users
from tests.support.core.command_line import dev_stack, ready_url
from tests.support.dashboard.crawl import Crawl, crawl
from tests.support.widget.pages import listening


@dataclass(frozen=True)
class DemoPages:
    """The pages of the demo shop at `url`. `owner` is the secret of an owner's session."""

    url: str
    owner: str
    app: FastAPI

    def visitor(self, secret: str) -> httpx.AsyncClient:
        """Return a browser without JavaScript."""
        headers = {"sec-fetch-site": "same-origin"}
        cookies = {"session": secret}
        return httpx.AsyncClient(
            base_url=self.url, timeout=60, trust_env=False, cookies=cookies, headers=headers
        )

    async def crawl(self, language: str = "en", secret: str = "") -> Crawl:
        async with self.visitor(secret or self.owner) as http:

            async def get(path: str) -> tuple[int, str | None]:
                answer = await http.get(path, headers={"accept-language": language})
                is_page = "text/html" in answer.headers.get("content-type", "")
                return answer.status_code, answer.text if is_page else None

            return await crawl(get)


@contextmanager
def demo_data(data: Path) -> Iterator[None]:
    """Use the folder's running stack, or run a new stack with the tour during the block."""
    if data.exists() and running_stack(data) is not None:
        yield
        return
    with dev_stack(data, "--port", str(free_port())) as process:
        ready_url(process)
        yield


@asynccontextmanager
async def demo_pages(data: Path) -> AsyncIterator[DemoPages]:
    """Serve the current code over a running stack's data, without request limits."""
    stack = running_stack(data)
    assert stack is not None, f"no stack is running on {data}"
    app = create_app(load_settings(**stack.env))
    async with app.router.lifespan_context(app), listening(app) as url:
        with unlimited(app):
            yield DemoPages(url, await session_of(app, OWNER), app)


@contextmanager
def unlimited(app: FastAPI) -> Iterator[None]:
    """Disable the limits, because a crawl is faster than people."""
    limiter = app.state.resources.limiter
    check = limiter.check_request

    async def unchecked(request: object, scope: LimitScope, *rest: object) -> None:
        if scope is not LimitScope.PAGES:
            await check(request, scope, *rest)

    with patch.object(limiter, "check_request", unchecked):
        yield


async def session_of(app: FastAPI, email: str) -> str:
    work: UnitsOfWork = app.state.resources.work
    async with work.everywhere() as unit:
        user_id = await unit.connection.scalar(sa.select(users.c.id).where(users.c.email == email))
        assert user_id is not None
        random = secrets.token_bytes(SECRET_BYTES)
        visitor = Visitor("127.0.0.0/24", "Browser/1.0")
        opened = await open_session(unit, user_id, SessionKind.BROWSER, visitor, random)
    return opened.secret
