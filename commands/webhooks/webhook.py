"""webhook: which of a client's URLs are told of which events."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from pydantic import TypeAdapter

from adapters.system import new_ulid, utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    environment_of,
    out,
    sealer_of,
    transaction_on,
    warn,
)
from commands.core.listing import print_list
from commands.webhooks import delivery as webhook_delivery
from commands.webhooks.delivery import WebhookArgument, send_test
from commands.webhooks.webhook_text import listed, outcome, webhook_fields, webhook_text
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.webhooks.secret import seal_secret
from domain.webhooks.signature import SECRET_BYTES, secret_of
from domain.webhooks.url import check_url
from domain.webhooks.webhook import (
    ALL_EVENTS,
    EVENT_IDS,
    MAX_LABEL,
    MAX_OVERLAP_HOURS,
    OVERLAP_HOURS,
    RetryPolicy,
    check_events,
    check_label,
    first_event,
)
from store.tenants.clients import ClientRepository
from store.webhooks.subscriptions import NewWebhook, WebhookChange, WebhookRepository, client_of

app = typer.Typer(help="A client's webhooks and their deliveries.", no_args_is_help=True)
app.add_typer(webhook_delivery.app)

_EVENTS_HELP = "An event, or * for all; as often as needed."
_RETRY_HELP = "standard: ten tries over three days."


@app.callback()
def group() -> None:
    """What receivers get, and how they verify it: docs/webhooks.md."""


@app.command("create")
@command
async def create(
    client: Annotated[str, typer.Option(help="client_id")],
    url: Annotated[str, typer.Option(help="https://…")],
    events: Annotated[list[str], typer.Option("--event", help=_EVENTS_HELP)],
    label: Annotated[str | None, typer.Option(help="The URL's host if absent.")] = None,
    retry_policy: Annotated[RetryPolicy, typer.Option(help=_RETRY_HELP)] = RetryPolicy.NONE,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Subscribe a URL. The secret that signs is shown this once and never again."""
    tenant, webhook_id = TenantId(client), new_ulid()
    checked = _url(url, data)
    secret = secret_of(secrets.token_bytes(SECRET_BYTES))
    webhook = NewWebhook(
        id=webhook_id,
        label=check_label(label or str(urlsplit(checked).hostname)[:MAX_LABEL]),
        url=checked,
        events=_events(events),
        retry_policy=retry_policy,
        secret_sealed=seal_secret(sealer_of(data), tenant, webhook_id, secret),
    )
    async with transaction_on(data) as connection:
        repository = WebhookRepository(connection, tenant)
        await repository.require_plan(utc_now())
        created = await repository.create(webhook, utc_now())
    answer(
        as_json,
        "Webhook made: keep its secret, it is shown only now.",
        webhook_id=webhook_id,
        secret=secret,
        label=created.label,
        url=created.url,
        events=list(created.events),
    )


@app.command("list")
@command
async def list_all(
    client: Annotated[str, typer.Option(help="client_id")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's webhooks, the oldest first."""
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        found = await WebhookRepository(connection, TenantId(client)).all()
    if as_json:
        answer(True, "", webhooks=[webhook_fields(webhook) for webhook in found])
        return
    print_list(("webhook", "label", "url", "events", "state"), map(listed, found))


@app.command("show")
@command
async def show(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one webhook, without its secret."""
    async with transaction_on(data) as connection:
        tenant = await client_of(connection, webhook_id)
        found = await WebhookRepository(connection, tenant).read(webhook_id)
    if as_json:
        answer(True, "", **webhook_fields(found))
    else:
        out.print(webhook_text(found))


@app.command("update")
@command
async def update(
    webhook_id: WebhookArgument,
    label: Annotated[str | None, typer.Option()] = None,
    url: Annotated[str | None, typer.Option(help="https://…")] = None,
    events: Annotated[list[str] | None, typer.Option("--event", help=_EVENTS_HELP)] = None,
    retry_policy: Annotated[RetryPolicy | None, typer.Option(help=_RETRY_HELP)] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change what is given. What waits to be sent goes to the new URL."""
    change = WebhookChange(
        label=None if label is None else check_label(label),
        url=None if url is None else _url(url, data),
        events=_events(events) if events else None,
        retry_policy=retry_policy,
    )
    if change == WebhookChange():
        raise InvalidInput("nothing to change: --label, --url, --event or --retry-policy")
    await _changed(webhook_id, change, "Webhook changed.", data, as_json)


@app.command("pause")
@command
async def pause(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Send nothing but tests until `enable`; what happens meanwhile can be replayed."""
    change = WebhookChange(pause=True)
    await _changed(webhook_id, change, "Webhook paused.", data, as_json)


@app.command("enable")
@command
async def enable(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Turn it on again, its count of failures at 0, and send it a test."""
    async with database_of(data) as database:
        async with database.service() as connection:
            tenant = await client_of(connection, webhook_id)
            repository = WebhookRepository(connection, tenant)
            await repository.require_plan(utc_now())
            enabled = await repository.enable(webhook_id)
        event = first_event(enabled.events)
        tested = await send_test(database, data, tenant, webhook_id, event)
    sentence = f"Webhook enabled. Test: {outcome(tested)}."
    if enabled.missed:
        sentence += " What it has missed can be sent: webhook replay-since."
    answer(
        as_json,
        sentence,
        webhook_id=webhook_id,
        is_active=enabled.is_active,
        missed=enabled.missed,
        test_delivery_id=tested.id,
        test_status=tested.status.value,
        test_failure_kind=tested.failure_kind,
    )


@app.command("rotate")
@command
async def rotate(
    webhook_id: WebhookArgument,
    overlap_hours: Annotated[
        float,
        typer.Option(min=0, max=MAX_OVERLAP_HOURS, help="How long the old secret signs as well."),
    ] = OVERLAP_HOURS,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Give it a new secret, which is shown this once and never again.

    Two secrets sign at most: a second rotation within the overlap ends the oldest one at once.
    """
    now, sealer = utc_now(), sealer_of(data)
    until = now + timedelta(hours=overlap_hours) if overlap_hours else None
    secret = secret_of(secrets.token_bytes(SECRET_BYTES))
    async with transaction_on(data) as connection:
        tenant = await client_of(connection, webhook_id)
        repository = WebhookRepository(connection, tenant)
        await repository.require_plan(now)
        signed_until_now = await repository.sealed_secrets(webhook_id, now)
        sealed = seal_secret(sealer, tenant, webhook_id, secret)
        await repository.rotate(webhook_id, sealed, previous_until=until)
    if len(signed_until_now) > 1:
        warn("an earlier overlap was not over: the secret from before it signs no more")
    answer(
        as_json,
        "Secret replaced: keep the new one, it is shown only now.",
        webhook_id=webhook_id,
        secret=secret,
        previous_secret_until=until.isoformat(timespec="seconds") if until else None,
    )


@app.command("delete")
@command
async def delete(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Delete a webhook with its deliveries; what waits to be sent is not sent any more."""
    async with transaction_on(data) as connection:
        tenant = await client_of(connection, webhook_id)
        await WebhookRepository(connection, tenant).delete(webhook_id)
    answer(as_json, "Webhook deleted.", webhook_id=webhook_id, deleted=True)


async def _changed(
    webhook_id: str, change: WebhookChange, sentence: str, data: Path, as_json: bool
) -> None:
    async with transaction_on(data) as connection:
        tenant = await client_of(connection, webhook_id)
        repository = WebhookRepository(connection, tenant)
        await repository.require_plan(utc_now())
        changed = await repository.change(webhook_id, change, utc_now())
    answer(as_json, sentence, **webhook_fields(changed))


def _events(given: Sequence[str]) -> tuple[str, ...]:
    if not {*given} <= {ALL_EVENTS, *EVENT_IDS}:
        raise InvalidInput(f"events are {', '.join(EVENT_IDS)}, or {ALL_EVENTS} for all")
    return check_events(given)


def _url(url: str, data: Path) -> str:
    """As the workers that will send to it see it."""
    said = environment_of(data).get("WEBHOOK_ALLOW_PRIVATE_ADDRESSES", "false")
    return check_url(url, allow_private=TypeAdapter(bool).validate_python(said))
