"""run: the agent's runs, with the steps and reasons of each run."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import typer
from rich.markup import escape

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    out,
)
from commands.core.listing import facts_table, print_list
from commands.runs.attachment import attachment, attachment_line
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.core.ids import TenantId, parse_ulid
from domain.core.json_time import rfc3339
from domain.core.money import Money
from domain.runs.run import RunStatus
from domain.runs.trace import RunSummary, RunTrace, TracedEffect, TracedReview
from store.runs.run_lists import RunFilter, RunLists
from store.runs.traces import RunTraces, client_of_run
from store.tenants.clients import ClientRepository

app = typer.Typer(
    help=("Show the agent's runs, with the reasons for each outcome."), no_args_is_help=True
)

app.command("attachment")(attachment)

Row = tuple[str, str]


@command(app, "list")
async def list_latest(
    client: ClientOption,
    status: Annotated[
        RunStatus | None, typer.Option(help=("Show only runs with this status."))
    ] = None,
    classification: Annotated[
        Category | None, typer.Option(help=("Show only runs with this category."))
    ] = None,
    reason: Annotated[
        EscalationReason | None,
        typer.Option(help="Show only runs that were escalated for this reason."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's latest runs, newest first."""
    tenant = TenantId(parse_ulid(client) or client)
    async with database_of(data) as database, database.reading(tenant) as connection:
        await ClientRepository(connection).brand_name(tenant)
        wanted = RunFilter(status=status, classification=classification, reason=reason)
        lists = RunLists(connection, tenant)
        found, behind = await lists.page(wanted, limit=limit)
        while behind and len(found) < limit:
            more, behind = await lists.page(wanted, limit=limit - len(found), before=behind)
            found += more
    if as_json:
        answer(True, "", runs=[run.model_dump(mode="json") for run in found])
        return
    out.print(f"{len(found)} runs")
    print_list(("run", "received", "status", "class", "subject"), [_cells(run) for run in found])


def _cells(run: RunSummary) -> tuple[str, ...]:
    return (
        run.run_id,
        f"{run.received_at:%Y-%m-%d %H:%M}",
        _joined(run.status, run.error_code or run.handoff_reason),
        _joined(
            run.classification,
            None if run.confidence is None else f"{run.confidence:.2f}",
            None if run.sentiment is None else f"mood {run.sentiment:+.1f}",
        ),
        run.subject or "",
    )


@command(app, "show")
async def show(
    run_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show all details of a run, in chronological order."""
    wanted = parse_ulid(run_id) or run_id
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of_run(connection, wanted)
        trace = await RunTraces(connection, tenant).read(wanted)
    if as_json:
        answer(True, "", **trace.model_dump(mode="json"))
        return
    for title, rows in _chapters(trace):
        if not rows:
            continue
        table = facts_table(title)
        for name, value in rows:
            table.add_row(name, escape(value))
        out.print(table)


def _chapters(trace: RunTrace) -> Iterator[tuple[str, list[Row]]]:
    yield f"Run {trace.run_id}", _head(trace)
    yield "Event", _event(trace)
    yield "Order lookup", _lookup(trace)
    yield (
        "Knowledge found",
        [
            (
                "left out" if found.left_out else "shown",
                f"{found.title} ({found.id}{_rank(found.rank)})",
            )
            for found in trace.findings
        ],
    )
    yield "Brain result", _thought(trace)
    yield (
        "Policy decisions",
        [(verdict.kind, _joined(verdict.ruling, verdict.reason)) for verdict in trace.verdicts],
    )
    yield (
        "The plan",
        [(f"{number} {step.kind}", _planned(step)) for number, step in enumerate(trace.plan)],
    )
    yield "Reviews", [(f"round {it.round}", _review(it)) for it in trace.reviews]
    yield (
        "Actions executed",
        [(f"{it.step} {it.action}, round {it.round}", _effect(it)) for it in trace.effects],
    )
    yield "Outcome", _end(trace)


def _head(trace: RunTrace) -> list[Row]:
    playbook = trace.playbook
    return _present(
        ("status", _joined(trace.status, trace.error_code)),
        ("client", trace.client_id),
        ("playbook", f"{playbook.name}, version {playbook.version}, from {playbook.threshold}"),
        ("handed over", trace.handoff_reason),
    )


def _event(trace: RunTrace) -> list[Row]:
    event, unified = trace.event, trace.event.normalized
    came = [
        ("event", event.event_id),
        ("type", _joined(event.event_type, event.source)),
        ("received", rfc3339(event.received_at, "seconds")),
        *_present(("typed by", event.author)),
    ]
    if unified is None:
        return [*came, ("normalized", "not yet")]
    vouched = "" if not unified.is_claim else ", not verified"
    return came + _present(
        ("channel", unified.channel),
        ("ticket", unified.ticket_id),
        ("customer", f"{unified.customer_email or 'unknown'}{vouched}"),
        ("order", unified.order_number),
        ("subject", unified.subject),
        ("text", unified.text),
        ("attachments", "\n".join(map(attachment_line, trace.event.attachments))),
        ("fields", "\n".join(f"{name}: {value}" for name, value in unified.fields.items())),
    )


def _lookup(trace: RunTrace) -> list[Row]:
    if trace.lookup is None:
        return []
    order = trace.lookup.order
    rows = [("order", trace.lookup.state.value)]
    if order is None:
        return rows
    return rows + _present(
        ("number", order.number),
        ("state", order.state),
        ("total", f"{order.total}, {order.refundable} refundable"),
        ("placed", rfc3339(order.placed_at, "seconds")),
        ("items", ", ".join(order.items)),
    )


def _thought(trace: RunTrace) -> list[Row]:
    thought = trace.thought
    if thought.classification is None:
        return []
    return _present(
        ("model", thought.model),
        ("prompt", thought.prompt_version),
        ("class", f"{thought.classification}, confidence {thought.confidence:.2f}"),
        ("intent", thought.intent),
        ("sensitive", trace.sensitive),
        ("else", ", ".join(f"{it.category} {it.confidence:.2f}" for it in thought.alternatives)),
        ("language", thought.language),
        ("sentiment", None if thought.sentiment is None else f"{thought.sentiment:+.2f}"),
        ("doubt", thought.doubt),
        ("hold", thought.hold),
        ("rests on", ", ".join(f"{it.kind} {it.title}" for it in thought.citations)),
        ("draft", thought.draft),
        ("cost", _cost(trace)),
    )


def _cost(trace: RunTrace) -> str | None:
    thought = trace.thought
    if not thought.tokens_in + thought.tokens_out:
        return None
    dollars = thought.cost_micros / 1_000_000
    return f"{thought.tokens_in} tokens in, {thought.tokens_out} out, {dollars:.6f} USD"


def _planned(step: PlannedAction) -> str:
    return _joined(
        step.order_number and f"order {step.order_number}",
        step.amount,
        ", ".join(step.tags),
        step.text,
    )


def _review(review: TracedReview) -> str:
    first = review.first_approved_by and f"first approved by {review.first_approved_by}"
    return _joined(
        review.reason,
        review.status,
        review.amount,
        _at("asked", review.created_at),
        first,
        review.decided_by and f"decided by {review.decided_by}",
        _at("at", review.decided_at),
        review.edited_text,
    )


def _effect(effect: TracedEffect) -> str:
    return _joined(
        effect.state,
        effect.detail,
        effect.amount,
        effect.order_key,
        effect.reference,
        _at("begun", effect.planned_at),
        _at("ended", effect.finished_at),
    )


def _end(trace: RunTrace) -> list[Row]:
    timings = trace.timings
    return _present(
        ("steps", ", ".join(_joined(f"{it.kind} {it.state}", it.detail) for it in trace.steps)),
        ("response", trace.response),
        (
            "took",
            f"normalize {timings.normalize:.0f} ms, lookup {timings.lookup:.0f} ms, "
            f"brain {timings.brain:.0f} ms, execute {timings.execute:.0f} ms",
        ),
        ("answered", _at(f"after {trace.duration_ms} ms,", trace.answered_at)),
        ("finished", _at("", trace.finished_at)),
    )


def _present(*rows: tuple[str, str | None]) -> list[Row]:
    """Return the table rows that have a value."""
    return [(name, value) for name, value in rows if value]


def _joined(*parts: Money | str | None) -> str:
    return ", ".join(str(part) for part in parts if part)


def _at(word: str, moment: datetime | None) -> str:
    return "" if moment is None else f"{word} {rfc3339(moment, 'seconds')}".strip()


def _rank(rank: float | None) -> str:
    return "" if rank is None else f", rank {rank:.3f}"
