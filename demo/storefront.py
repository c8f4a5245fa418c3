"""The demo shop's storefront: pages on another origin that show the widget, like a merchant's own.

It listens on loopback and checks the Host header. Otherwise, another site could read the mailbox's
verification codes by DNS rebinding.
"""

import asyncio
import socket
import tomllib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Route

from adapters.demo.shop import DemoOrder
from demo.back_office import BackOffice
from demo.content import BRAND
from demo.mails import KeptMail, mails_to
from demo.widget import DemoWidget
from domain.widget.signed_user import signature_of
from embedded.ports import LOOPBACK, PortTaken, listening

_HERE: Final = Path(__file__).parent / "pages"
_LANGUAGES: Final = ("fr", "en")
_SHOWN_MAILS: Final = 20
# The content security policy sources that docs/widget.md asks merchants to allow, for the service's
# script and the calls to its API.
_POLICY: Final = (
    "default-src 'none'; script-src {api}; connect-src {api}; img-src {api} data:; "
    "style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Wares:
    """The data on the storefront's pages. The first of `orders` is the suggested one, and its
    customer is signed in. `mails` is the folder of sent emails."""

    api_url: str
    widget: DemoWidget
    orders: Sequence[DemoOrder]
    mails: Path
    office: BackOffice


def policy_for(api_url: str) -> str:
    """Return the content security policy for a page with the widget."""
    return _POLICY.format(api=api_url)


@contextmanager
def storefront_socket(port: int | None) -> Iterator[socket.socket]:
    """Yield a listening socket for the storefront, on the previous `port` if it is free, so that
    open pages keep working."""
    try:
        listener = listening(port)
    except PortTaken:
        listener = listening()
    with listener:
        yield listener


def origin_at(port: int) -> str:
    """Return the origin of the storefront on this port. The origin is also the storefront's
    address."""
    return f"http://{LOOPBACK}:{port}"


def application(wares: Wares) -> Starlette:
    """Return the web application with the storefront's pages, in both languages."""
    pages = _Pages(wares)
    routes = [Route("/storefront.css", _style)]
    for language in _LANGUAGES:
        home = _home(language)
        routes += [
            Route(home, pages.shop(language, signed=False)),
            Route(_under(home, "signed"), pages.shop(language, signed=True)),
            Route(_under(home, "mailbox"), pages.mailbox(language)),
        ]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, [LOOPBACK])])


class _Pages:
    def __init__(self, wares: Wares) -> None:
        self._wares = wares
        self._templates = Environment(
            loader=FileSystemLoader(_HERE),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._words = {
            language: tomllib.loads((_HERE / f"{language}.toml").read_text())
            for language in _LANGUAGES
        }

    def shop(self, language: str, *, signed: bool) -> Callable[[Request], Awaitable[HTMLResponse]]:
        """Return the handler of the page with the widget. If `signed` is true, the shop's customer
        is signed in on the page."""
        wares, asked = self._wares, self._wares.orders[0]
        signature = signature_of(wares.widget.secret, asked.customer_email) if signed else ""

        async def answer(_: Request) -> HTMLResponse:
            return self._render(
                language,
                "storefront.html",
                page="signed" if signed else "",
                key=wares.widget.key,
                order=asked.number,
                customer=asked.customer_email,
                orders=wares.orders,
                signed_by=signature,
            )

        return answer

    def mailbox(self, language: str) -> Callable[[Request], Awaitable[HTMLResponse]]:
        """Return the handler of the page that shows the emails to customers, and the open
        reviews."""
        customers = frozenset(order.customer_email for order in self._wares.orders)
        reply = str(self._words[language]["reply"])

        async def answer(_: Request) -> HTMLResponse:
            mails: Sequence[KeptMail] = await asyncio.to_thread(
                mails_to, customers, self._wares.mails, _SHOWN_MAILS
            )
            office = self._wares.office
            reviews = [
                {
                    "messages": [message.text for message in review.messages],
                    "command": office.reply_line(review, reply),
                }
                for review in await office.waiting()
            ]
            return self._render(
                language, "mailbox.html", page="mailbox", mails=mails, reviews=reviews
            )

        return answer

    def _render(self, language: str, template: str, *, page: str, **facts: object) -> HTMLResponse:
        other = next(it for it in _LANGUAGES if it != language)
        text = self._templates.get_template(template).render(
            language=language,
            words=self._words[language],
            brand=BRAND,
            api=self._wares.api_url,
            home=_home(language),
            elsewhere=_under(_home(other), page),
            **facts,
        )
        return HTMLResponse(text, headers=_headers(self._wares.api_url, language))


async def _style(_: Request) -> FileResponse:
    return FileResponse(_HERE / "storefront.css", headers={"X-Content-Type-Options": "nosniff"})


def _headers(api_url: str, language: str) -> Mapping[str, str]:
    return {
        "Cache-Control": "no-store",
        "Content-Language": language,
        "Content-Security-Policy": policy_for(api_url),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _home(language: str) -> str:
    return "/" if language == _LANGUAGES[0] else f"/{language}"


def _under(home: str, page: str) -> str:
    return f"{home.rstrip('/')}/{page}" if page else home
