"""churn: predictions about customers who are likely to leave."""

from typing import Annotated

import typer

from adapters.system import utc_now
from commands.analytics.reports import AllOption, OneClientOption, left_running, reports_of, whose
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    fail,
    out,
    reading_client,
)
from commands.core.listing import print_list
from domain.analytics.churn import ChurnLevel, ChurnPrediction
from domain.analytics.contracts import WeeklyChurnInput
from domain.core.ids import parse_ulid
from store.analytics.churn import ChurnRepository

app = typer.Typer(
    help="Show and compute predictions of which customers are likely to leave.",
    no_args_is_help=True,
)


@command(app, "list")
async def list_latest(
    client: ClientOption,
    level: Annotated[
        ChurnLevel | None, typer.Option(help=("Show only customers with this risk level."))
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's latest weekly churn predictions with their reasons, highest score first."""
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        found = await ChurnRepository(connection, tenant).latest(limit=limit, level=level)
    if as_json:
        predictions = [prediction.model_dump(mode="json") for prediction in found]
        answer(True, "", client_id=tenant, predictions=predictions)
        return
    week = f", week of {found[0].week}" if found else ""
    out.print(f"{len(found)} customers{week}")
    print_list(("customer", "score", "level", "because of"), map(_cells, found), ids=0)


def _cells(prediction: ChurnPrediction) -> tuple[str, ...]:
    reasons = sorted(prediction.factors, key=lambda factor: -factor.contribution)
    return (
        prediction.customer_email,
        f"{prediction.score:.2f}",
        prediction.level,
        ", ".join(f"{one.name} {one.contribution:.2f}" for one in reasons if one.contribution),
    )


@command(app, "predict")
async def predict(
    client: OneClientOption = None,
    every: AllOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Compute this week's churn predictions now, on an engine worker. The new predictions replace
    Monday's predictions. Ctrl-C stops waiting, but the work continues. Run the command again to
    resume waiting."""
    client_id = await whose(client, every, data)
    reports = await reports_of(data)
    with left_running():
        done = await reports.predict_churn(WeeklyChurnInput(at=utc_now(), client_id=client_id))
    answer(
        as_json,
        f"Predicted for {done.predicted} customers.",
        week=done.week,
        predicted=done.predicted,
        high=done.high,
        failed=done.failed,
    )
    if done.failed:
        raise fail(
            "the predictions for some customers failed; the engine's log contains the ids of "
            "their clients"
        )
