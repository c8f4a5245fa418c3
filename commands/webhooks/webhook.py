"""webhook: a client's webhooks and the events that each webhook receives."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    environment_of,
    fields_of,
    out,
    reading_client,
    sealer_of,
    warn,
    work_on,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from commands.webhooks import delivery as webhook_delivery
from commands.webhooks.delivery import WebhookArgument, ended
from commands.webhooks.webhook_text import listed, outcome, webhook_text
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.webhooks.signature import SECRET_BYTES
from domain.webhooks.webhook import (
    ALL_EVENTS,
    EVENT_IDS,
    MAX_OVERLAP_HOURS,
    OVERLAP_HOURS,
    RetryPolicy,
)
from services.webhooks.subscriptions import (
    NewSubscription,
    change_webhook,
    create_webhook,
    delete_webhook,
    enable_webhook,
    rotate_webhook,
)
from store.webhooks.subscriptions import WebhookChange, WebhookRepository, client_of

app = typer.Typer(help="Manage a client's webhooks and their deliveries.", no_args_is_help=True)
app.add_typer(webhook_delivery.app)

_EVENTS_HELP = "Event type, or * for all. Repeatable."
_RETRY_HELP = "standard: ten attempts over three days."
_ONCE_HELP = "Send only the first event of each type for a ticket."


@app.callback()
def group() -> None:
    """docs/webhooks.md describes the payloads and how to verify them."""


@command(app, "create")
async def create(
    client: ClientOption,
    url: Annotated[str, typer.Option(help="HTTPS URL of the endpoint that receives the webhook.")],
    events: Annotated[list[str], typer.Option("--event", help=_EVENTS_HELP)],
    label: Annotated[
        str | None, typer.Option(help=("Label of the webhook; defaults to the URL's host."))
    ] = None,
    retry_policy: Annotated[RetryPolicy, typer.Option(help=_RETRY_HELP)] = RetryPolicy.NONE,
    once_per_ticket: Annotated[
        bool, typer.Option("--once-per-ticket/--every-resolution", help=_ONCE_HELP)
    ] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Create a webhook. Its signing secret is shown only once."""
    sealer = sealer_of(data)
    wanted = NewSubscription(url, _events(events), retry_policy, label or None, once_per_ticket)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        made = await create_webhook(
            work,
            operator(),
            wanted,
            sealer=sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
            allow_private=_allow_private(data),
        )
    created = made.webhook
    answer(
        as_json,
        "Webhook created. Store its secret now: it is shown only once.",
        webhook_id=created.id,
        secret=made.secret,
        label=created.label,
        url=created.url,
        events=list(created.events),
    )


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's webhooks, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await WebhookRepository(connection, tenant).all()
    if as_json:
        answer(True, "", webhooks=[fields_of(webhook, "webhook_id") for webhook in found])
        return
    print_list(("webhook", "label", "url", "events", "state"), map(listed, found))


@command(app, "show")
async def show(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one webhook, without its secret."""
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of(connection, webhook_id)
        found = await WebhookRepository(connection, tenant).read(webhook_id)
    if as_json:
        answer(True, "", **fields_of(found, "webhook_id"))
    else:
        out.print(webhook_text(found))


@command(app, "update")
async def update(
    webhook_id: WebhookArgument,
    label: Annotated[str | None, typer.Option()] = None,
    url: Annotated[
        str | None, typer.Option(help=("HTTPS URL of the endpoint that receives the webhook."))
    ] = None,
    events: Annotated[list[str] | None, typer.Option("--event", help=_EVENTS_HELP)] = None,
    retry_policy: Annotated[RetryPolicy | None, typer.Option(help=_RETRY_HELP)] = None,
    once_per_ticket: Annotated[
        bool | None, typer.Option("--once-per-ticket/--every-resolution", help=_ONCE_HELP)
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the given fields of a webhook. Pending deliveries are sent to the new URL."""
    change = WebhookChange(
        label=label,
        url=url,
        events=_events(events) if events else None,
        retry_policy=retry_policy,
        once_per_ticket=once_per_ticket,
    )
    if change == WebhookChange():
        raise InvalidInput(
            "nothing to change: --label, --url, --event, --retry-policy or --once-per-ticket"
        )
    await _changed(webhook_id, change, "Webhook changed.", data, as_json)


@command(app, "pause")
async def pause(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Pause a webhook. It receives only test events until you run `webhook enable`. Events that
    occur during the pause can be replayed."""
    change = WebhookChange(pause=True)
    await _changed(webhook_id, change, "Webhook paused.", data, as_json)


@command(app, "enable")
async def enable(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Re-enable a webhook, reset its failure count, and send it a test event."""
    async with work_on(data) as units:
        tenant = await units.database.find_client(client_of, webhook_id)
        async with units.of(tenant) as work:
            done = await enable_webhook(work, operator(), webhook_id)
        tested = await ended(units.database, tenant, webhook_id, done.test_delivery_id)
    enabled = done.webhook
    sentence = f"Webhook enabled. Test: {outcome(tested)}."
    if enabled.missed:
        sentence += " To send missed events, use webhook replay-since."
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


@command(app, "rotate")
async def rotate(
    webhook_id: WebhookArgument,
    overlap_hours: Annotated[
        float,
        typer.Option(
            min=0,
            max=MAX_OVERLAP_HOURS,
            help=("Hours for which deliveries are also signed with the previous secret."),
        ),
    ] = OVERLAP_HOURS,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Rotate a webhook's secret. The new secret is shown only once. Deliveries are signed with at
    most two secrets: a second rotation during the overlap immediately retires the oldest one."""
    sealer = sealer_of(data)
    async with work_on_record(data, client_of, webhook_id) as work:
        rotated = await rotate_webhook(
            work,
            operator(),
            webhook_id,
            overlap=timedelta(hours=overlap_hours),
            sealer=sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
        )
    if rotated.ended_overlap:
        warn("an earlier overlap had not ended: the oldest secret no longer signs deliveries")
    until = rotated.webhook.previous_secret_until
    answer(
        as_json,
        "Secret rotated. Store the new secret now: it is shown only once.",
        webhook_id=webhook_id,
        secret=rotated.secret,
        previous_secret_until=until,
    )


@command(app, "delete")
async def delete(
    webhook_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Delete a webhook and its deliveries. Pending deliveries are not sent."""
    async with work_on_record(data, client_of, webhook_id) as work:
        await delete_webhook(work, operator(), webhook_id)
    answer(as_json, "Webhook deleted.", webhook_id=webhook_id, deleted=True)


async def _changed(
    webhook_id: str, change: WebhookChange, sentence: str, data: Path, as_json: bool
) -> None:
    async with work_on_record(data, client_of, webhook_id) as work:
        changed = await change_webhook(
            work, operator(), webhook_id, change, allow_private=_allow_private(data)
        )
    answer(as_json, sentence, **fields_of(changed, "webhook_id"))


def _events(given: Sequence[str]) -> tuple[str, ...]:
    if not {*given} <= {ALL_EVENTS, *EVENT_IDS}:
        raise InvalidInput(f"events are {', '.join(EVENT_IDS)}, or {ALL_EVENTS} for all")
    return tuple(given)


def _allow_private(data: Path) -> bool:
    """Return True if the webhook workers' settings allow webhooks to private addresses."""
    said = environment_of(data).get("WEBHOOK_ALLOW_PRIVATE_ADDRESSES", "false")
    return TypeAdapter(bool).validate_python(said)
