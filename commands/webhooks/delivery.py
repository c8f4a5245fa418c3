"""webhook: commands to inspect deliveries, redeliver events, and verify signatures."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    environment_of,
    fields_of,
    out,
    sealer_of,
    warn,
    work_on,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from commands.core.texts import content_of
from commands.webhooks.webhook_text import (
    delivery_cells,
    delivery_text,
    explanation_text,
    outcome,
)
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.core.json_time import rfc3339
from domain.webhooks.delivery import Delivery, DeliveryStatus
from domain.webhooks.explanation import SignatureResult
from domain.webhooks.samples import TESTED_BY_DEFAULT
from domain.webhooks.signature_verdict import Pasted
from domain.webhooks.webhook import event_named
from services.webhooks.deliveries import (
    read_delivery,
    replay_delivery,
    replay_missed,
    send_test,
    signature_evidence,
)
from settings import load_server
from store.core.database import Database
from store.webhooks.deliveries import DeliveryRepository, webhook_of
from store.webhooks.subscriptions import client_of

app = typer.Typer()

_WAIT_S: Final = 15.0
"""Maximum wait for the outcome, in seconds. It is longer than the delivery timeout."""
_POLL_S: Final = 0.2
_KEPT: Final = timedelta(days=30)
_SINCE_HELP: Final = "Time, such as 2026-11-21T08:00:00Z; in UTC if it has no offset."

WebhookArgument = Annotated[str, typer.Argument(metavar="WEBHOOK_ID")]
DeliveryArgument = Annotated[str, typer.Argument(metavar="DELIVERY_ID")]


@command(app, "test")
async def try_out(
    webhook_id: WebhookArgument,
    event: Annotated[str, typer.Option(help="Event type of the test event.")] = TESTED_BY_DEFAULT,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Send a test event and wait for its outcome. The exit code is 1 unless the delivery succeeds.
    A failed test does not increase the webhook's failure count. A paused or disabled webhook also
    receives test events."""
    chosen = event_named(event)
    async with work_on(data) as units:
        tenant = await units.database.find_client(client_of, webhook_id)
        async with units.of(tenant) as work:
            delivery_id = await send_test(work, operator(), webhook_id, chosen)
        tested = await ended(units.database, tenant, webhook_id, delivery_id)
    answer(as_json, f"Test: {outcome(tested)}.", **fields_of(tested, "delivery_id"))
    if tested.status is not DeliveryStatus.SUCCESS:
        raise typer.Exit(1)


@command(app, "deliveries")
async def deliveries(
    webhook_id: WebhookArgument,
    status: Annotated[
        DeliveryStatus | None, typer.Option(help=("Show only deliveries with this status."))
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a webhook's 50 latest finished deliveries and all pending deliveries, newest first."""
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of(connection, webhook_id)
        found = await DeliveryRepository(connection, tenant).latest(webhook_id)
    wanted = [one for one in found if status in (None, one.status)]
    if as_json:
        answer(True, "", deliveries=[fields_of(one, "delivery_id") for one in wanted])
        return
    print_list(("delivery", "made", "event", "outcome"), map(delivery_cells, wanted))


@command(app, "delivery")
async def delivery(
    delivery_id: DeliveryArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one delivery: the request, the response, and a curl command that repeats the request."""
    now, sealer = utc_now(), sealer_of(data)
    service = load_server(environment_of(data)).service
    async with database_of(data) as database, database.reading_across() as connection:
        tenant, webhook_id = await webhook_of(connection, delivery_id)
        found, curl = await read_delivery(
            connection, tenant, webhook_id, delivery_id, sealer=sealer, now=now, service=service
        )
    if as_json:
        answer(True, "", **fields_of(found, "delivery_id"), curl=curl)
        return
    out.print(delivery_text(found))
    out.print("This command repeats the request. It works for the next five minutes:")
    # The command is printed without wrapping, because a wrapped command cannot be pasted.
    typer.echo(curl)


@command(app, "replay")
async def replay(
    delivery_id: DeliveryArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Redeliver an event to the webhook's current URL, with the same body and webhook-id."""
    async with work_on(data) as units:
        async with units.database.reading_across() as connection:
            tenant, webhook_id = await webhook_of(connection, delivery_id)
        async with units.of(tenant) as work:
            replayed = await replay_delivery(work, operator(), webhook_id, delivery_id)
    answer(as_json, "The event is being sent again.", delivery_id=replayed, replay_of=delivery_id)


@command(app, "replay-since")
async def replay_since(
    webhook_id: WebhookArgument,
    since: Annotated[str, typer.Option(metavar="TIME", help=_SINCE_HELP)],
    everything: Annotated[
        bool, typer.Option("--all", help="Also replay events that were already delivered.")
    ] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Send the events since --since that the webhook has not received, oldest first, up to 1,000.
    Events are stored for 30 days only."""
    now = utc_now()
    moment = _since(since, now)
    async with work_on_record(data, client_of, webhook_id) as work:
        done = await replay_missed(work, operator(), webhook_id, moment, everything=everything)
    if moment < now - _KEPT:
        warn("events older than 30 days are no longer stored and cannot be sent")
    queued = len(done.delivery_ids)
    sentence = f"{_events_are(queued)} being sent again."
    if done.next_since is not None:
        sentence += f" There are more events: continue with --since {rfc3339(done.next_since)}."
    answer(
        as_json,
        sentence,
        webhook_id=webhook_id,
        queued=queued,
        left=done.left,
        next_since=done.next_since,
    )


@command(app, "verify")
async def verify(
    webhook_id: WebhookArgument,
    signature: Annotated[
        str,
        typer.Option(
            help=(
                "Value of the X-Service-Signature or webhook-signature header, as received or "
                "as computed by the receiver."
            )
        ),
    ],
    timestamp: Annotated[str, typer.Option(help="Value of the X-Service-Timestamp header.")],
    body_file: Annotated[
        Path,
        typer.Option(help="File with the exact bytes of the received body; - for standard input."),
    ],
    message_id: Annotated[
        str,
        typer.Option(
            "--id", help=("Value of the webhook-id header, required for a webhook-signature.")
        ),
    ] = "",
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Explain why a signature does not match. Possible reasons include a wrong secret, an old
    timestamp and a modified body. The exit code is 1 unless the signature matches."""
    pasted = Pasted(signature, timestamp, content_of(body_file), message_id)
    sealer = sealer_of(data)
    async with work_on_record(data, client_of, webhook_id) as work:
        evidence = await signature_evidence(work, operator(), webhook_id, sealer=sealer)
    found = evidence.explain(pasted)
    if as_json:
        answer(True, "", **found.model_dump(mode="json"))
    else:
        out.print(explanation_text(found))
    if found.verdict is not SignatureResult.MATCHES:
        raise typer.Exit(1)


async def ended(
    database: Database, tenant: TenantId, webhook_id: str, delivery_id: str
) -> Delivery:
    """Wait up to `_WAIT_S` seconds for the delivery to end. Return the delivery, even if it is
    still pending."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        async with database.reading(tenant) as connection:
            found = await DeliveryRepository(connection, tenant).read(webhook_id, delivery_id)
        if found.status is not DeliveryStatus.PENDING or time.monotonic() > deadline:
            return found
        await asyncio.sleep(_POLL_S)


def _events_are(count: int) -> str:
    return "1 event is" if count == 1 else f"{count} events are"


def _since(given: str, now: datetime) -> datetime:
    """Return the time given with --since. Raises InvalidInput if it is not a valid time or is in
    the future."""
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise InvalidInput(
            f"--since {given}: a time such as 2026-11-21T08:00:00Z or 2026-11-21 expected"
        ) from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment > now:
        raise InvalidInput(f"--since {given} is in the future: it is {rfc3339(now, 'seconds')} now")
    return moment
