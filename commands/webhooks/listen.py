"""listen and trigger: receive webhooks on a developer's machine."""

import asyncio
import secrets
from datetime import datetime
from typing import Annotated, Final

import httpx
import typer

from adapters.system import new_ulid, utc_now
from adapters.webhooks.forward import Forwarded, forward
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    database_of,
    environment_of,
    synchronous,
)
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.core.json_time import rfc3339
from domain.webhooks.delivery import Trigger
from domain.webhooks.envelope import render
from domain.webhooks.samples import sample
from domain.webhooks.signature import SECRET_BYTES, secret_of, signed_headers
from domain.webhooks.webhook import event_named
from services.webhooks.listening import Listening
from settings import load_server
from store.core.database import Database
from store.tenants.clients import ClientRepository
from store.webhooks.outbox_tail import OutboxEvent

_POLL_S: Final = 0.5
_EVENTS_HELP: Final = "Event type to forward. Repeatable. Default: all."
_SECRET_HELP: Final = "Signing secret (whsec_…). Default: a new one, which is printed."  # noqa: S105 - help

UrlOption = Annotated[
    str, typer.Option("--forward-to", metavar="URL", help="Address of your local server.")
]
SecretOption = Annotated[str | None, typer.Option("--secret", help=_SECRET_HELP)]


@synchronous
async def listen(
    client: ClientOption,
    url: UrlOption,
    events: Annotated[list[str] | None, typer.Option("--event", help=_EVENTS_HELP)] = None,
    secret: SecretOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Forward a client's webhook events to your local server, as they happen.

    The command runs until Ctrl-C. The events are signed like deliveries, with a secret of this
    command. The client's webhooks receive their own deliveries as usual. An event that your server
    does not accept is not sent again."""
    chosen = [event_named(one) for one in events or ()]
    receiver = _Receiver(url, secret, data)
    async with database_of(data) as database:
        tenant = await _client(database, client)
        listening = Listening(database, tenant, events=chosen, since=utc_now())
        answer(as_json, f"Forwarding to {url}. Press Ctrl-C to stop.", secret=receiver.secret)
        async with httpx.AsyncClient() as http:
            while True:
                for one in await listening.new():
                    sent = await receiver.send(http, one, Trigger.EVENT)
                    _show(as_json, one, sent)
                await asyncio.sleep(_POLL_S)


@synchronous
async def trigger(
    event: Annotated[
        str, typer.Argument(metavar="EVENT", help="Event type, such as ticket.resolved.")
    ],
    url: UrlOption,
    secret: SecretOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Send a signed sample webhook event to your local server.

    The exit code is 1 unless the server accepts the event. The command needs no running service."""
    chosen, now = event_named(event), utc_now()
    receiver = _Receiver(url, secret, data)
    one = OutboxEvent(new_ulid(), chosen, render(sample(chosen), new_ulid(), now), now)
    if secret is None:
        answer(as_json, f"Sending to {url}.", secret=receiver.secret)
    async with httpx.AsyncClient() as http:
        sent = await receiver.send(http, one, Trigger.TEST)
    _show(as_json, one, sent)
    if not sent.is_accepted:
        raise typer.Exit(1)


class _Receiver:
    """The developer's local server, and the secret with which its events are signed."""

    def __init__(self, url: str, secret: str | None, data: DataOption) -> None:
        self.secret = secret or secret_of(secrets.token_bytes(SECRET_BYTES))
        self._url = _checked(url)
        self._service = load_server(environment_of(data)).service

    async def send(self, http: httpx.AsyncClient, one: OutboxEvent, why: Trigger) -> Forwarded:
        headers = signed_headers(
            event=one.event,
            event_id=one.id,
            delivery_id=new_ulid(),
            attempt=1,
            trigger=why,
            timestamp=int(utc_now().timestamp()),
            body=one.body,
            secrets=[self.secret],
            service=self._service,
        )
        return await forward(http, self._url, headers, one.body)


def _show(as_json: bool, one: OutboxEvent, sent: Forwarded) -> None:
    took = f"{sent.took_ms:.0f} ms"
    outcome = sent.error if sent.status is None else str(sent.status)
    answer(
        as_json,
        f"{_clock(one.created_at)}  {one.event}  {one.id}  {outcome}  {took}",
        **(
            {
                "event": one.event,
                "event_id": one.id,
                "created_at": rfc3339(one.created_at),
                "status": sent.status,
                "error": sent.error or None,
                "took_ms": round(sent.took_ms),
            }
            if as_json
            else {}
        ),
    )


def _clock(at: datetime) -> str:
    return at.strftime("%H:%M:%S")


def _checked(url: str) -> str:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        raise InvalidInput(f"{url} is not an address") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise InvalidInput(f"{url} is not an address such as http://localhost:3000/webhooks")
    return url


async def _client(database: Database, client: str) -> TenantId:
    async with database.reading_across() as connection:
        await ClientRepository(connection).brand_name(client)
    return TenantId(client)
