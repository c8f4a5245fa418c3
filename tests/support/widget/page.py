"""A shop page with the widget, which calls the API like a browser."""

import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import httpx

from adapters.seal import FernetSealer
from adapters.system import utc_now
from domain.core.ports import Sealer
from domain.tenants.client_settings import WIDGET_KEY_BYTES, widget_key_of
from domain.widget.signed_user import SECRET_BYTES, secret_of, signature_of
from domain.widget.widget import WidgetChange, seal_widget_secret
from domain.widget.widget_session import held_session, session_token
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop

CHAT = "/api/widget/chat"
CONFIG = "/api/widget/config"
ORIGIN = "https://shop.example"


@dataclass(frozen=True)
class WidgetPage:
    engine: LiveEngine
    shop: Shop
    key: str
    origin: str | None = ORIGIN

    @property
    def params(self) -> dict[str, str]:
        return {"api_key": self.key}

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.origin is None else {"origin": self.origin}

    async def ask(self, message: str = "Bonjour", **body: object) -> httpx.Response:
        """Send a request. `idempotency_key`: sent as a header."""
        key = body.pop("idempotency_key", None)
        more = {} if key is None else {"idempotency-key": str(key)}
        return await self.engine.http.post(
            CHAT,
            params=self.params,
            headers={**self.headers, **more},
            json={"message": message, **body},
        )

    async def say(self, message: str = "Bonjour", **body: object) -> dict[str, Any]:
        """Send a message, which must be accepted, and return the answer."""
        answer = await self.ask(message, **body)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    async def config(self) -> httpx.Response:
        return await self.engine.http.get(CONFIG, params=self.params, headers=self.headers)

    async def fresh_token(self) -> str:
        """Return the token of a session without messages."""
        token: str = (await self.config()).json()["session_id"]
        return token

    def token(self, session_id: str, verified_email: str | None = None) -> str:
        return session_token(self._sealer, self.shop.client_id, session_id, verified_email)

    def session(self, token: str) -> str:
        found = held_session(self._sealer, self.shop.client_id, token)
        assert found is not None
        return found.id

    @property
    def _sealer(self) -> Sealer:
        sealer: Sealer = self.engine.app.state.resources.sealer
        return sealer

    def of(self, key: str) -> "WidgetPage":
        return replace(self, key=key)

    def at(self, origin: str | None) -> "WidgetPage":
        return replace(self, origin=origin)


async def page_of(engine: LiveEngine, shop: Shop, **change: object) -> WidgetPage:
    """Create a page of the shop's site, which is allowed to show the widget. `change` are the
    fields of WidgetChange."""
    return WidgetPage(engine, shop, await with_widget(engine.database, shop, **change))


async def with_widget(database: Database, shop: Shop, **change: object) -> str:
    """Enable a widget for the pages of ORIGIN, and return its key."""
    key = widget_key_of(secrets.token_bytes(WIDGET_KEY_BYTES))
    wanted = WidgetChange.model_validate({"allowed_origins": (ORIGIN,), **change})
    async with database.tenant(shop.tenant) as connection:
        await WidgetRepository(connection, shop.tenant).change(wanted, utc_now())
        await SettingsRepository(connection, shop.tenant).rotate_widget_key(key, utc_now())
    return key


async def with_secret(page: WidgetPage, *, overlap: timedelta | None = None) -> str:
    """Give the widget a new secret. The previous secret remains valid for `overlap`."""
    secret, now = secret_of(secrets.token_bytes(SECRET_BYTES)), utc_now()
    sealer = FernetSealer(page.engine.settings.seal.key.get_secret_value())
    async with page.engine.database.tenant(page.shop.tenant) as connection:
        await WidgetRepository(connection, page.shop.tenant).rotate_secret(
            seal_widget_secret(sealer, page.shop.client_id, secret),
            previous_until=None if overlap is None else now + overlap,
            now=now,
        )
    return secret


def signed(secret: str, email: str) -> dict[str, str]:
    """Return the fields that a merchant's page adds for its user."""
    return {"customer_email": email, "user_signature": signature_of(secret, email)}
