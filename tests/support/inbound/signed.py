"""Webhooks in the generic signed form, from a merchant's own system."""

import base64
import hashlib
import hmac
import time
from dataclasses import dataclass
from secrets import token_bytes

import httpx
import orjson

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from domain.inbound.endpoint import SECRET_BYTES, TOKEN_BYTES, WantedEndpoint
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.inbound.endpoints import DrawnBytes, open_endpoint
from settings import Settings
from store.core.database import Database
from tests.support.inbound.stored import listen_to
from tests.support.tenants.shop import Shop


@dataclass(frozen=True)
class SignedSender:
    """A merchant's system with its address and secret."""

    path: str
    secret: str

    async def send(self, http: httpx.AsyncClient, name: str, **body: object) -> httpx.Response:
        """Send one delivery. `name` is the delivery's name, which stays the same in each retry."""
        data = orjson.dumps({"event_type": "x", "message": "hello", **body})
        stamp = str(int(time.time()))
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        digest = hmac.digest(key, f"{name}.{stamp}.".encode() + data, hashlib.sha256)
        return await http.post(
            self.path,
            content=data,
            headers={
                "Content-Type": "application/json",
                "webhook-id": name,
                "webhook-timestamp": stamp,
                "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
            },
        )


async def open_sender(database: Database, shop: Shop, settings: Settings) -> SignedSender:
    """Connect a client's own system and open its address."""
    sealer = FernetSealer(settings.seal.key.get_secret_value())
    drawn = DrawnBytes(token_bytes(TOKEN_BYTES), token_bytes(SECRET_BYTES))
    async with database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant)
        work = UnitOfWork(connection, shop.tenant, utc_now(), new_ulid)
        opened = await open_endpoint(
            work, Actor.operator("test"), integration_id, WantedEndpoint(), drawn, sealer=sealer
        )
    assert opened.secret is not None
    return SignedSender(f"/api/webhooks/generic/{opened.token}", opened.secret)
