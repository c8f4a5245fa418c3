"""review: decide what the agent was not sure of."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from adapters.system import utc_now
from adapters.temporal.client import TemporalEngine, connect
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    out,
    transaction_on,
)
from commands.core.person import AsOption, acting_person
from commands.reviews.review_text import review_text, summary_text
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.core.contracts import RunRef
from domain.core.errors import EngineUnavailable, InvalidInput
from domain.core.ids import TenantId
from domain.reviews.escalation import Choice, Decision, EscalationStatus
from domain.reviews.review import ReviewSummary, Wanted
from embedded.data_folder import running_stack
from store.reviews.escalations import EscalationRepository, client_of
from store.reviews.reviews import ReviewFilter, list_reviews, read_review

app = typer.Typer(help="Human review.", no_args_is_help=True)

_MAX_LISTED: Final = 1000

IdArgument = Annotated[str, typer.Argument(metavar="REVIEW_ID")]


@app.command("list")
@command
async def list_some(
    client: Annotated[str | None, typer.Option(help="client_id; all clients if absent")] = None,
    status: Annotated[Wanted, typer.Option(help="open: pending or claimed")] = Wanted.OPEN,
    reason: Annotated[EscalationReason | None, typer.Option()] = None,
    classification: Annotated[Category | None, typer.Option()] = None,
    claimed_by: Annotated[str | None, typer.Option(help="a person")] = None,
    min_amount: Annotated[
        int | None, typer.Option(min=0, help="money at stake, in minor units")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=_MAX_LISTED, help="how many at most")] = 200,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show what waits for a decision, oldest first."""
    wanted = ReviewFilter(
        status=status,
        reason=reason,
        classification=classification,
        claimed_by=claimed_by,
        min_amount=min_amount,
    )
    async with transaction_on(data) as connection:
        found = await list_reviews(connection, client, wanted, limit=limit)
    if as_json:
        answer(True, "", reviews=[_as_dict(review) for review in found])
        return
    out.print(f"{len(found)} reviews ({status.value})")
    for review in found:
        out.print(summary_text(review))
    if found:
        out.print("All of one: cli.py review show REVIEW_ID. Then claim, approve or reject it.")


@app.command("show")
@command
async def show(
    review_id: IdArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one review with all that it is about."""
    async with transaction_on(data) as connection:
        client_id = await client_of(connection, review_id)
        found = await read_review(connection, client_id, review_id)
    if as_json:
        answer(True, "", **_as_dict(found))
    else:
        out.print(review_text(found))


@app.command("claim")
@command
async def claim(
    review_id: IdArgument,
    force: Annotated[bool, typer.Option("--force", help="Take it from whoever has it.")] = False,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Ask the others to leave it alone for half an hour."""
    async with transaction_on(data) as connection:
        tenant = TenantId(await client_of(connection, review_id))
        claimed = await EscalationRepository(connection, tenant).claim(
            review_id, await acting_person(connection, person), utc_now(), force=force
        )
    answer(
        as_json,
        "Review claimed.",
        review_id=review_id,
        status=EscalationStatus.CLAIMED.value,
        claimed_by=claimed.by,
        until=claimed.until.isoformat(timespec="minutes"),
    )


@app.command("release")
@command
async def release(
    review_id: IdArgument,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Give a claim back."""
    async with transaction_on(data) as connection:
        tenant = TenantId(await client_of(connection, review_id))
        await EscalationRepository(connection, tenant).release(
            review_id, await acting_person(connection, person), utc_now()
        )
    answer(as_json, "Review released.", review_id=review_id, status=EscalationStatus.PENDING.value)


@app.command("approve")
@command
async def approve(
    review_id: IdArgument,
    text: Annotated[str | None, typer.Option(help="Send these words instead of the draft.")] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Let the plan be carried out, with the draft or with your own words.

    Above a limit of money another person must approve too.
    """
    if text is not None and not text.strip():
        raise InvalidInput("text: the words to send")
    decision = Decision.APPROVE if text is None else Decision.EDIT
    await _decide(review_id, person, lambda by: Choice(decision, by, text=text), data, as_json)


@app.command("reject")
@command
async def reject(
    review_id: IdArgument,
    note: Annotated[str | None, typer.Option(help="Why, for colleagues.")] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Hand the ticket over to people: the agent does nothing more."""
    await _decide(
        review_id, person, lambda by: Choice(Decision.REJECT, by, note=note), data, as_json
    )


async def _decide(
    review_id: str,
    person: str | None,
    choice: Callable[[str], Choice],
    data: Path,
    as_json: bool,
) -> None:
    """The decision is committed first; should the signal be lost, the sweeper sends it again."""
    async with transaction_on(data) as connection:
        tenant = TenantId(await client_of(connection, review_id))
        outcome = await EscalationRepository(connection, tenant).decide(
            review_id, choice(await acting_person(connection, person)), utc_now()
        )
    woken = outcome.ref is not None and await _wake(outcome.ref, review_id, data)
    if outcome.awaits_second:
        sentence = "Noted; another person must approve it too: review approve --as PERSON."
    else:
        note = "" if woken else " The run will take it up with the next sweep."
        sentence = f"Review {outcome.status.value}.{note}"
    answer(
        as_json,
        sentence,
        review_id=review_id,
        status=outcome.status.value,
        awaiting_second=outcome.awaits_second,
        signalled=woken,
    )


async def _wake(ref: RunRef, review_id: str, data: Path) -> bool:
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
        return await TemporalEngine(client).wake(ref, review_id)
    except EngineUnavailable:
        return False


def _as_dict(review: ReviewSummary) -> dict[str, object]:
    fields = review.model_dump(mode="json")
    return {"review_id": fields.pop("id"), **fields}
