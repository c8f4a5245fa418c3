"""Sign-up and sign-in over HTTP, with codes from the mail server."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage

import httpx

from adapters.system import new_ulid
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.identity import bearer

SIGNUP = "/api/auth/signup"
VERIFY = "/api/auth/verify"
REFRESH = "/api/auth/refresh"
SIGN_OUT = "/api/auth/sign-out"
SAME_ORIGIN = {"sec-fetch-site": "same-origin"}


@dataclass(frozen=True)
class Account:
    """A signed-in user. `client_id`: empty if the user belongs to no client."""

    email: str
    user_id: str
    client_id: str
    token: str
    refresh_token: str

    @property
    def headers(self) -> dict[str, str]:
        return bearer(self.token)


def new_address() -> str:
    return f"{new_ulid().lower()}@shop.example"


async def ask(
    engine: LiveEngine, email: str, brand: str | None = None, **headers: str
) -> httpx.Response:
    body = {"email": email} | ({"brand_name": brand} if brand is not None else {})
    return await engine.http.post(SIGNUP, json=body, headers=headers)


async def mail_to(mail: MailServer, email: str, *, number: int = 1) -> EmailMessage:
    """Wait for the `number`th email to an address, and return the email."""

    async def found() -> EmailMessage | None:
        theirs = [one for one in mail.mails if str(one["To"]) == email.lower()]
        return theirs[number - 1] if len(theirs) >= number else None

    return await eventually(found)


def code_in(mail: EmailMessage) -> str:
    found = re.search(r"\b[0-9]{6}(?:[0-9]{3})?\b", plain_text(mail))
    assert found, plain_text(mail)
    return found.group()


async def code_for(
    engine: LiveEngine, mail: MailServer, email: str, brand: str | None = None, *, number: int = 1
) -> str:
    """Request a code, and read it from its email."""
    answer = await ask(engine, email, brand)
    assert answer.status_code == 202, answer.text
    return code_in(await mail_to(mail, email, number=number))


async def verify(engine: LiveEngine, email: str, code: str) -> httpx.Response:
    return await engine.http.post(VERIFY, json={"email": email, "code": code})


async def sign_up(
    engine: LiveEngine,
    mail: MailServer,
    email: str | None = None,
    brand: str | None = "Maison Lin",
    *,
    number: int = 1,
) -> Account:
    """Create an account or sign in with a code. `number` is the position of the email among those
    to this address."""
    email = email or new_address()
    code = await code_for(engine, mail, email, brand, number=number)
    answer = await verify(engine, email, code)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return Account(
        email, body["user_id"], body["client_id"] or "", body["token"], body["refresh_token"]
    )


@asynccontextmanager
async def calling_from(engine: LiveEngine, address: str) -> AsyncIterator[httpx.AsyncClient]:
    """Return an HTTP client with a given network address."""
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(engine.app, raise_app_exceptions=False, client=(address, 1)),
        base_url="http://engine",
        timeout=40,
    ) as client:
        yield client


@asynccontextmanager
async def browser(
    engine: LiveEngine, *, base_url: str = "http://127.0.0.1"
) -> AsyncIterator[httpx.AsyncClient]:
    """Return a browser's HTTP client, with cookies and an address. It does not follow redirects."""
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(engine.app, raise_app_exceptions=False),
        base_url=base_url,
        headers={**SAME_ORIGIN, "accept-language": "en", "user-agent": "Browser/1.0"},
        timeout=40,
    ) as client:
        yield client


async def sign_in_with(
    client: httpx.AsyncClient,
    mail: MailServer,
    email: str,
    brand: str = "",
    *,
    number: int = 1,
    next_page: str = "/app",
) -> httpx.Response:
    """Submit both pages, and return the last response."""
    form = {"email": email, "brand_name": brand, "next": next_page}
    first = "/app/sign-up" if brand else "/app/sign-in"
    asked = await client.post(first, data=form)
    assert asked.status_code == 200, asked.text
    code = code_in(await mail_to(mail, email, number=number))
    return await client.post("/app/verify", data={"email": email, "code": code, "next": next_page})


def csrf_in(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found, page
    return found.group(1)
