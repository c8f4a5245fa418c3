"""playbook shadow and playbook advise: reports computed from a playbook's past events."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    out,
)
from commands.core.listing import print_list
from domain.agent.brain import Category
from domain.learning.shadow_report import ClassCounts
from store.playbooks.playbooks import client_of

app = typer.Typer()


@command(app, "shadow")
async def shadow(
    playbook_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a playbook's results in shadow mode, and whether it is ready to go live."""
    # The module is imported inside the commands because numpy is slow to load.
    from services.learning.playbook_reports import shadow_report  # noqa: PLC0415

    async with database_of(data) as database:
        tenant = await database.find_client(client_of, playbook_id)
        async with database.reading(tenant) as connection:
            report = await shadow_report(connection, tenant, playbook_id)
    reasons = [reason.value for reason in report.not_ready]
    said = "Ready to go live." if report.ready else f"Not ready: {', '.join(reasons)}."
    if as_json:
        fields = report.model_dump(mode="json")
        answer(True, said, ready=report.ready, not_ready=reasons, **fields)
        return
    out.print(said, highlight=False)
    print_list(
        ("class", "kept", "settled", "agreed", "compared", "at least", "money differs"),
        [_row(one) for one in (*report.classes, report.total)],
    )


@command(app, "advise")
async def advise_threshold(
    playbook_id: Annotated[str, typer.Argument()],
    classification: Annotated[
        Category | None,
        typer.Option("--class", help=("Category to report on; defaults to all categories.")),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show how other confidence thresholds would have changed the results of a playbook's latest
    runs."""
    from domain.learning.threshold_words import in_english  # noqa: PLC0415
    from services.learning.playbook_reports import threshold_advice  # noqa: PLC0415

    async with database_of(data) as database:
        tenant = await database.find_client(client_of, playbook_id)
        async with database.reading(tenant) as connection:
            advice = await threshold_advice(connection, tenant, playbook_id, classification)
    said = in_english(advice.suggested or advice.current)
    if as_json:
        answer(True, said, said=said, **advice.model_dump(mode="json"))
        return
    out.print(said, highlight=False)
    print_list(
        ("threshold", "review", "alone", "edits avoided", "rejections avoided", "wrong", "unknown"),
        [
            (
                f"{one.threshold:.2f}",
                str(one.reviewed),
                str(one.alone),
                f"{one.edits_caught} of {one.edits}",
                f"{one.rejections_caught} of {one.rejections}",
                f"{one.wrong_low} to {one.wrong_high}",
                str(one.unknown),
            )
            for one in advice.curve
        ],
    )


def _row(counts: ClassCounts) -> tuple[str, ...]:
    agreement = counts.agreement
    return (
        counts.classification or "all",
        str(counts.kept),
        str(counts.settled),
        str(agreement.agreed),
        str(agreement.compared),
        f"{agreement.low:.0%}",
        str(counts.money_differs),
    )
