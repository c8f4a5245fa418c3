"""The effects of content changes on the client's cases: a test run before saving, and a warning
after saving."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from commands.core.context import answer, model_of, warn, work_on
from commands.core.person import operator
from domain.core.ids import TenantId
from domain.simulation.variant import ContentVariant
from services.cases.content_previews import preview_content
from services.content.lost_outcomes import counting_lost
from services.core.unit_of_work import UnitOfWork

PreviewOption = Annotated[
    bool,
    typer.Option(
        "--preview",
        help=(
            "Test the change on all cases without saving it. Use `case results` to see the outcome."
        ),
    ),
]


async def try_content(data: Path, client: str, change: ContentVariant, as_json: bool) -> None:
    """Start a run of all cases on a worker, with the change applied, and print the id of the
    run."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        started = await preview_content(work, operator(), change)
    answer(
        as_json,
        f"The change is not saved. Running {started.total} cases with and without it.",
        case_run_id=started.id,
        total=started.total,
    )


@asynccontextmanager
async def saving(data: Path, client: str) -> AsyncIterator[UnitOfWork]:
    """Yield a unit of work that saves content. Prints a warning with the number of passed cases
    that the change invalidates."""
    async with (
        work_on(data) as units,
        units.of(TenantId(client)) as work,
        counting_lost(work, model_of(data)) as lost,
    ):
        yield work
    if lost.count:
        warn(f"{lost.count} cases were green and must be run again before a playbook goes live")
