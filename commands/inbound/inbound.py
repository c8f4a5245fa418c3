"""inbound: received webhooks and their outcomes."""

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape
from rich.table import Table

from adapters.system import utc_now
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
    settings_for,
    work_on,
)
from commands.core.listing import facts_table, print_list
from commands.core.nearby_engine import NearbyEngine
from commands.core.person import operator
from domain.core.errors import EngineUnavailable
from domain.core.ids import parse_ulid
from domain.core.json_time import rfc3339
from domain.core.plain_text import without_controls
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef
from domain.inbound.inbound_webhook import InboundWebhook, Outcome, WebhookState
from domain.inbound.logged_webhook import LoggedWebhook, RefusalCount, spoken, verdict
from domain.integrations.providers import Provider
from services.inbound.log import read_logged
from services.inbound.replay import replay_webhook
from store.inbound.log import InboundLogRepository, client_of_inbound
from store.inbound.poll_cursors import PollCursorRepository

app = typer.Typer(
    help="Show and replay webhooks received from other platforms.", no_args_is_help=True
)

_REFUSAL_HOURS: Final = 24

WebhookArgument = Annotated[str, typer.Argument(metavar="INBOUND_ID")]


@command(app, "list")
async def list_latest(
    client: ClientOption,
    provider: Annotated[
        Provider | None, typer.Option(help=("Show only webhooks of this provider."))
    ] = None,
    state: Annotated[
        WebhookState | None, typer.Option(help=("Show only webhooks in this state."))
    ] = None,
    outcome: Annotated[
        Outcome | None, typer.Option(help=("Show only webhooks with this outcome."))
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's latest webhooks, newest first, and the requests rejected in the last day."""
    async with reading_client(data, client) as (connection, tenant):
        log = InboundLogRepository(connection, tenant)
        found = await log.page(limit=limit, provider=provider, state=state, outcome=outcome)
        refused = await log.refusals(_REFUSAL_HOURS, utc_now())
    if as_json:
        answer(
            True,
            "",
            webhooks=[fields_of(one, "inbound_id") for one in found],
            refusals=[_refusal(one) for one in refused],
        )
        return
    out.print(f"{len(found)} webhooks")
    print_list(
        ("webhook", "came", "provider", "topic", "outcome", "about, or why"),
        [_cells(one) for one in found],
    )
    if refused:
        out.print("Rejected in the last day:")
        hours = [
            (one.integration_id, f"{one.hour:%Y-%m-%d %H:00}", spoken(one.reason), str(one.count))
            for one in refused
        ]
        print_list(("integration", "hour", "reason", "requests"), hours)


@command(app, "polls")
async def list_polls(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show the last poll of each platform, and the reason if the poll failed."""
    async with reading_client(data, client) as (connection, tenant):
        found = await PollCursorRepository(connection, tenant).all()
    if as_json:
        polls = [{"integration_id": one, **cursor.model_dump(mode="json")} for one, cursor in found]
        answer(True, "", polls=polls)
        return
    out.print(f"{len(found)} polled connections")
    print_list(
        ("integration", "asked", "failed in a row", "why"),
        [
            (one, f"{it.polled_at:%Y-%m-%d %H:%M}", str(it.failures), it.error_code or "")
            for one, it in found
        ],
    )


@command(app, "show")
async def show(
    inbound_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a received webhook with its content and outcome."""
    wanted = parse_ulid(inbound_id) or inbound_id
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of_inbound(connection, wanted)
        found = await read_logged(connection, tenant, operator(), wanted)
    if as_json:
        answer(True, "", **fields_of(found, "inbound_id"), verdict=verdict(found))
        return
    out.print(_facts(found))


@command(app, "replay")
async def replay(
    inbound_id: WebhookArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Reprocess a failed or waiting webhook from its stored bytes. If the webhook has already been
    processed, do nothing."""
    wanted = parse_ulid(inbound_id) or inbound_id
    async with work_on(data) as units:
        tenant = await units.database.find_client(client_of_inbound, wanted)
        async with units.of(tenant) as work:
            starts = await replay_webhook(work, operator(), wanted)
    begins = starts and await _begin(data, WebhookRef(client_id=tenant, webhook_id=wanted))
    sentence = "Nothing to do: the webhook is already processed or queued."
    if starts:
        sentence = (
            "Processing started."
            if begins
            else ("A worker will process the webhook within two minutes.")
        )
    answer(as_json, sentence, inbound_id=wanted, replayed=starts)


async def _begin(data: Path, ref: WebhookRef) -> bool:
    """Start processing a webhook. Return False if that fails, in which case the periodic sweep does
    it later."""
    environment = environment_of(data)
    if not environment.get("TEMPORAL_ADDRESS"):
        return False
    settings = settings_for(data)
    webhook = ProcessWebhookInput(
        ref=ref,
        remote_brain=settings.brain.is_remote,
        review_expiry_s=settings.reviews.expiry_s,
    )
    try:
        await NearbyEngine(environment).process_webhook(webhook, wake=True)
    except EngineUnavailable:
        return False
    return True


def _cells(webhook: InboundWebhook) -> tuple[str, ...]:
    return (
        webhook.id,
        f"{webhook.created_at:%Y-%m-%d %H:%M}",
        webhook.provider.value,
        webhook.topic,
        webhook.outcome.value if webhook.outcome else webhook.state.value,
        _about(webhook),
    )


def _about(webhook: InboundWebhook) -> str:
    if webhook.state is WebhookState.WAITING:
        until = "" if webhook.not_before is None else f" until {webhook.not_before:%H:%M} UTC"
        return spoken(webhook.waits_for or "its turn") + until
    return webhook.reference or webhook.event_id or webhook.reason or ""


def _refusal(refused: RefusalCount) -> dict[str, object]:
    return {
        "integration_id": refused.integration_id,
        "reason": refused.reason,
        "hour": refused.hour,
        "count": refused.count,
    }


def _facts(webhook: LoggedWebhook) -> Table:
    table = facts_table(f"Inbound webhook {webhook.id}")
    table.add_row("verdict", verdict(webhook))
    table.add_row("state", webhook.state.value)
    table.add_row("provider", f"{webhook.provider}, integration {webhook.integration_id}")
    table.add_row("topic", _said(f"{webhook.topic} ({webhook.kind})"))
    table.add_row("delivery", _said(webhook.dedup_key))
    table.add_row("came", rfc3339(webhook.created_at, "seconds"))
    optional = {
        "event": webhook.event_id,
        "run": webhook.run_id,
        "about": webhook.reference,
        "reason": webhook.reason,
        "finished": webhook.finished_at and rfc3339(webhook.finished_at, "seconds"),
    }
    for name, value in optional.items():
        if value:
            table.add_row(name, _said(value))
    if webhook.duplicates:
        table.add_row("came again", f"{webhook.duplicates} times, unchanged")
    if webhook.conflicts:
        table.add_row("came again", f"{webhook.conflicts} times with another body, ignored")
    for name, value in webhook.headers.items():
        table.add_row("header", _said(f"{name}: {value}"))
    table.add_row("body", _body(webhook))
    return table


def _body(webhook: LoggedWebhook) -> str:
    if webhook.body_bytes is None:
        return "erased"
    if webhook.body is None:
        return f"{webhook.body_bytes} bytes, no text"
    return _said(webhook.body) + (" …" if webhook.is_body_cut else "")


def _said(text: str) -> str:
    """Return untrusted text without terminal control characters."""
    return escape(without_controls(text))
