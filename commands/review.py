"""review: decide what the agent was not sure of."""

import dataclasses
import getpass
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from adapters.system import utc_now
from adapters.temporal import TemporalEngine, connect
from commands.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    out,
    transaction_on,
)
from domain.errors import EngineUnavailable, InvalidInput
from domain.escalation import Decision
from embedded.data_folder import running_stack
from store.escalation_repository import DecidedEscalation, Escalation, decide, open_escalations

app = typer.Typer(help="Human review.", no_args_is_help=True)

_MAX_LISTED = 200


@app.command("list")
@command
async def list_open(
    client: Annotated[str | None, typer.Option(help="client_id; all clients if absent")] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show what waits for a decision, oldest first."""
    async with transaction_on(data) as connection:
        found = await open_escalations(connection, client_id=client, limit=_MAX_LISTED)
    if as_json:
        answer(True, "", reviews=[_as_dict(escalation) for escalation in found])
        return
    out.print(f"{len(found)} waiting for a human")
    for it in found:
        table = Table(title=it.id, title_justify="left", title_style="bold", show_header=False)
        table.add_column(no_wrap=True, style="cyan")
        table.add_column(overflow="fold")
        seen = f"{it.classification or 'not classified'}, confidence {it.confidence:.2f}"
        table.add_row("why", f"{it.reason.value}: {seen}")
        table.add_row("client", it.client_id)
        table.add_row("until", it.expires_at.isoformat(timespec="minutes"))
        table.add_row("customer", escape("\n".join(filter(None, (it.subject, it.text)))))
        table.add_row("draft", escape(it.draft) or "none: answer with --text")
        out.print(table)
    if found:
        out.print("approve, approve --text, or reject: cli.py review approve REVIEW_ID")


@app.command("approve")
@command
async def approve(
    review_id: Annotated[str, typer.Argument()],
    text: Annotated[str | None, typer.Option(help="Send these words instead of the draft.")] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Let the plan be carried out, with the draft or with your own words."""
    if text is not None and not text.strip():
        raise InvalidInput("text: the words to send")
    decision = Decision.APPROVE if text is None else Decision.EDIT
    await _decide(review_id, decision, text, data, as_json)


@app.command("reject")
@command
async def reject(
    review_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Hand the ticket over to people: the agent does nothing more."""
    await _decide(review_id, Decision.REJECT, None, data, as_json)


async def _decide(
    review_id: str, decision: Decision, text: str | None, data: Path, as_json: bool
) -> None:
    """The decision is committed first; should the signal be lost, the sweeper sends it again."""
    async with transaction_on(data) as connection:
        decided = await decide(
            connection,
            review_id,
            decision,
            actor=f"operator:{getpass.getuser()}",
            edited_text=text,
            now=utc_now(),
        )
    woken = await _wake(decided, data)
    note = "" if woken else " The run will take it up with the next sweep."
    status = decision.status.value
    answer(as_json, f"Review {status}.{note}", review_id=review_id, status=status, signalled=woken)


async def _wake(decided: DecidedEscalation, data: Path) -> bool:
    env: Mapping[str, str] = os.environ
    if not env.get("TEMPORAL_ADDRESS"):
        running = running_stack(data)
        if running is None:
            return False
        env = running.env
    try:
        client = await connect(
            env["TEMPORAL_ADDRESS"], env.get("TEMPORAL_NAMESPACE") or "default", lazy=True
        )
        return await TemporalEngine(client).wake(decided.ref, decided.id)
    except EngineUnavailable:
        return False


def _as_dict(escalation: Escalation) -> dict[str, object]:
    fields = dataclasses.asdict(escalation)
    times = {name: fields.pop(name).isoformat() for name in ("created_at", "expires_at")}
    return {"review_id": fields.pop("id"), **fields, **times}
