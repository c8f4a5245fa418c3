"""review: commands that list, claim and decide reviews."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
    fields_of,
    out,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting, operator
from commands.core.texts import FILE_HELP, text_of
from commands.reviews.review_text import LISTED, review_text, summary_cells
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.reviews.escalation import EscalationStatus
from domain.reviews.review import Wanted
from domain.reviews.waiting import ShownWait
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import approve_review, edit_review, reject_review
from services.reviews.waiting import waiting_of_run
from store.reviews.escalations import DecisionOutcome, client_of
from store.reviews.reviews import ReviewFilter, list_reviews, read_review

app = typer.Typer(help="List, claim and decide reviews.", no_args_is_help=True)

_MAX_LISTED: Final = 1000

IdArgument = Annotated[str, typer.Argument(metavar="REVIEW_ID")]


@command(app, "list")
async def list_some(
    client: Annotated[
        str | None, typer.Option(help="Id of the client; defaults to all clients.")
    ] = None,
    status: Annotated[
        Wanted,
        typer.Option(help=("Show only reviews with this status; open means pending or claimed.")),
    ] = Wanted.OPEN,
    reason: Annotated[EscalationReason | None, typer.Option()] = None,
    classification: Annotated[Category | None, typer.Option()] = None,
    claimed_by: Annotated[
        str | None, typer.Option(help="Show only reviews claimed by this user.")
    ] = None,
    urgent: Annotated[bool, typer.Option("--urgent", help="Show only urgent reviews.")] = False,
    min_amount: Annotated[
        int | None,
        typer.Option(
            min=0, help=("Minimum amount at stake, in minor units, regardless of currency.")
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=_MAX_LISTED, help="Maximum number of rows.")
    ] = 200,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the open reviews: urgent reviews first, then oldest first."""
    now = utc_now()
    wanted = ReviewFilter(
        status=status,
        reason=reason,
        classification=classification,
        claimed_by=claimed_by,
        urgent=True if urgent else None,
        min_amount=min_amount,
    )
    async with database_of(data) as database, database.reading_across() as connection:
        found = await list_reviews(connection, client, wanted, limit=limit)
    if as_json:
        answer(True, "", reviews=[fields_of(review, "review_id") for review in found])
        return
    out.print(f"{len(found)} reviews ({status.value})")
    print_list(LISTED, (summary_cells(review, now) for review in found), ids=2)
    if found:
        out.print(
            "For details: cli.py review show REVIEW_ID. Then claim, approve or reject the review."
        )


@command(app, "show")
async def show(
    review_id: IdArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one review with its context."""
    async with database_of(data) as database, database.reading_across() as connection:
        client_id = await client_of(connection, review_id)
        found = await read_review(connection, client_id, review_id)
        waiting = await waiting_of_run(connection, client_id, operator(), found.run_id, utc_now())
        found = found.model_copy(update={"waiting": ShownWait.of(waiting)})
    if as_json:
        answer(True, "", **fields_of(found, "review_id"))
    else:
        out.print(review_text(found))


@command(app, "claim")
async def claim(
    review_id: IdArgument,
    force: Annotated[
        bool, typer.Option("--force", help="Take over a claim held by another user.")
    ] = False,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Claim a review for 30 minutes."""
    async with _at_work(review_id, person, data) as (work, actor):
        claimed = await claim_review(work, actor, review_id, force=force)
    answer(
        as_json,
        "Review claimed.",
        review_id=review_id,
        status=EscalationStatus.CLAIMED.value,
        claimed_by=claimed.by,
        until=claimed.until,
    )


@command(app, "release")
async def release(
    review_id: IdArgument,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Release a claim."""
    async with _at_work(review_id, person, data) as (work, actor):
        await release_review(work, actor, review_id)
    answer(as_json, "Review released.", review_id=review_id, status=EscalationStatus.PENDING.value)


@command(app, "approve")
async def approve(
    review_id: IdArgument,
    text: Annotated[str | None, typer.Option(help="Text to send instead of the draft.")] = None,
    text_file: Annotated[Path | None, typer.Option(help=FILE_HELP)] = None,
    message: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help=(
                "Id of the customer's latest message that you have read, as shown by `review show`."
            ),
        ),
    ] = None,
    revision: Annotated[
        int | None,
        typer.Option(
            min=0,
            help=(
                "Revision of the draft and plan that you have read. Required if they have changed."
            ),
        ),
    ] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Approve the plan, with the draft or an edited reply. Plans above an amount limit also need
    a second person's approval. If the customer has written since the review was opened, pass the
    id of the latest message as --message and the plan's revision as --revision. `review show`
    prints both. If the first approver has edited the draft, the second approver passes the text
    as --text."""
    words = text_of(text, text_file, "--text")
    async with _at_work(review_id, person, data) as (work, actor):
        if words is None:
            outcome = await approve_review(
                work, actor, review_id, seen_event=message, seen_revision=revision
            )
        else:
            outcome = await edit_review(
                work, actor, review_id, words, seen_event=message, seen_revision=revision
            )
    _tell(review_id, outcome, work, as_json)


@command(app, "reject")
async def reject(
    review_id: IdArgument,
    note: Annotated[
        str | None, typer.Option(help=("Reason for the rejection, visible only to teammates."))
    ] = None,
    note_file: Annotated[Path | None, typer.Option(help=FILE_HELP)] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Reject the plan and hand off the conversation to a human agent. The AI agent no longer acts
    in the conversation."""
    why = text_of(note, note_file, "--note")
    async with _at_work(review_id, person, data) as (work, actor):
        outcome = await reject_review(work, actor, review_id, why)
    _tell(review_id, outcome, work, as_json)


@asynccontextmanager
async def _at_work(
    review_id: str, person: str | None, data: Path
) -> AsyncIterator[tuple[UnitOfWork, Actor]]:
    """Yield a unit of work for the review's client, and the actor for the given user. Raises
    EscalationNotFound if there is no such review."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, review_id)
        async with units.of(tenant) as work:
            yield work, actor


def _tell(review_id: str, outcome: DecisionOutcome, work: UnitOfWork, as_json: bool) -> None:
    """Print a decision's outcome. Call this function only after the commit: only then is it known
    whether the run was signalled."""
    woken = review_id in work.woken
    if outcome.awaits_second:
        sentence = "Approval recorded. A second user must also approve: review approve --as USER."
    else:
        note = "" if woken else " The run receives the decision with the next sweep."
        sentence = f"Review {outcome.status.value}.{note}"
    answer(
        as_json,
        sentence,
        review_id=review_id,
        status=outcome.status.value,
        awaiting_second=outcome.awaits_second,
        signalled=woken,
    )
