"""A user's browser at the consent page, and the OAuth client that sent it there."""

import re
import secrets
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from domain.identity.pkce import challenge_of
from domain.identity.session import SECRET_BYTES, SessionKind
from services.identity.sessions import Visitor, open_session
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on

REGISTER = "/api/mcp/register"
TOKEN = "/api/mcp/token"
REVOKE = "/api/mcp/revoke"
AUTHORIZE = "/authorize"
APP = "https://app.example/callback"


@dataclass
class Browser:
    """A user's browser. `cookie` is the session's cookie, or None without a signed-in user."""

    http: httpx.AsyncClient
    cookie: str | None

    @property
    def headers(self) -> dict[str, str]:
        # The name starts with `__Host-`, except on loopback.
        if self.cookie is None:
            return {}
        return {"cookie": f"__Host-session={self.cookie}; session={self.cookie}"}

    async def open(self, url: str, **headers: str) -> httpx.Response:
        return await self.http.get(url, headers={**self.headers, **headers})

    async def send(self, url: str, form: dict[str, str], **headers: str) -> httpx.Response:
        own = {**self.headers, "sec-fetch-site": "same-origin"}
        return await self.http.post(url, data=form, headers={**own, **headers})


@dataclass
class App:
    """An OAuth client, and the state of its request."""

    client_id: str
    redirect_uri: str = APP
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = field(default_factory=lambda: secrets.token_urlsafe(8))

    def url(self, **change: str | None) -> str:
        """Return the URL of its authorization request. A parameter that is None is omitted."""
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "state": self.state,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            **change,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        return f"{AUTHORIZE}?{httpx.QueryParams(given)}"

    def exchange(self, code: str, **change: str) -> dict[str, str]:
        return {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
            **change,
        }


async def register(engine: LiveEngine, *uris: str, **metadata: object) -> App:
    body = {"redirect_uris": [*uris] or [APP], "client_name": "App", **metadata}
    answer = await engine.http.post(REGISTER, json=body)
    assert answer.status_code == 201, answer.text
    return App(answer.json()["client_id"], uris[0] if uris else APP)


async def browser_of(engine: LiveEngine, user_id: str) -> Browser:
    async with units_on(engine.database).everywhere() as work:
        opened = await open_session(
            work,
            user_id,
            SessionKind.BROWSER,
            Visitor("10.0.0.0/24", "test"),
            secrets.token_bytes(SECRET_BYTES),
        )
    return Browser(engine.http, opened.secret)


def form_of(
    page: httpx.Response, *, decision: str = "allow", untouched: bool = False
) -> dict[str, str]:
    """Return the page's form as a browser submits it. Every box is ticked and the first client is
    chosen, unless the form is `untouched`."""
    form = {"decision": decision}
    for tag in re.findall(r"<input[^>]*>", page.text):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        is_box = attributes["type"] == "checkbox"
        if not is_box or not untouched or tag.endswith(" checked>"):
            form[unescape(attributes["name"])] = unescape(attributes.get("value", "on"))
    options = re.findall(r'<option value="([^"]*)"', page.text)
    if not options:
        return form
    return form | {"client": options[0] if untouched else next(filter(None, options))}


async def consented(
    browser: Browser, app: App, *, client_id: str | None = None, **change: str | None
) -> str:
    """Consent to everything requested. Returns the code."""
    page = await browser.open(app.url(**change))
    assert page.status_code == 200, page.text
    form = form_of(page) | ({"client": client_id} if client_id else {})
    answer = await browser.send(app.url(**change), form)
    assert answer.status_code == 303, answer.text
    return sent_back(answer)["code"]


def sent_back(answer: httpx.Response) -> dict[str, str]:
    """Return the parameters that the redirect passes to the client."""
    assert answer.status_code == 303, answer.text
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


async def exchanged(engine: LiveEngine, form: dict[str, str]) -> httpx.Response:
    return await engine.http.post(TOKEN, data=form)


async def key_for(engine: LiveEngine, browser: Browser, app: App, **change: str | None) -> str:
    """Get a key with the complete flow."""
    answer = await exchanged(engine, app.exchange(await consented(browser, app, **change)))
    assert answer.status_code == 200, answer.text
    key: str = answer.json()["access_token"]
    return key


async def works(engine: LiveEngine, key: str, client_id: str) -> bool:
    answer = await engine.http.get(
        "/api/billing/usage",
        params={"client_id": client_id},
        headers={"authorization": f"Bearer {key}"},
    )
    assert answer.status_code in {200, 401}, answer.text
    return answer.status_code == 200


def error_of(answer: httpx.Response) -> str:
    """Return the error in an OAuth response, as in RFC 6749."""
    told: dict[str, Any] = answer.json()
    assert {*told} == {"error", "error_description"}
    error: str = told["error"]
    return error


def links_away(page: httpx.Response) -> list[str]:
    """Return a page's links, except to our own first page."""
    return [unescape(one) for one in re.findall(r'<a href="([^"]*)"', page.text) if one != "/app"]
