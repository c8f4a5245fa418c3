"""The copilot tool that reads the overview page's data: open work and problems."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.core.money import Money
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.dashboard.overview import read_overview
from store.reviews.open_reviews import MOST


class OverviewAsked(CopilotInput):
    """This tool takes no arguments."""


class TroubleFacts(CopilotFacts):
    """A problem with a webhook or a connection. `failures`: the number of consecutive failures."""

    kind: str
    record_id: str
    name: str
    failures: int


class OverviewFacts(CopilotFacts):
    waiting: int = Field(description="Number of open reviews, counted up to a maximum.")
    is_more: bool = Field(description="Whether there are more open reviews than `waiting`.")
    oldest: datetime | None = Field(description="Time at which the oldest open review was opened.")
    at_stake: tuple[Money, ...] = Field(
        description="Money that the plans under review would move, by currency."
    )
    troubles: tuple[TroubleFacts, ...]


async def _read(copilot: CopilotService, _: OverviewAsked) -> ToolFindings[OverviewFacts]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await read_overview(connection, copilot.tenant)
    return ToolFindings(
        OverviewFacts(
            waiting=min(found.waiting, MOST),
            is_more=found.waiting > MOST,
            oldest=found.oldest,
            at_stake=found.at_stake,
            troubles=tuple(
                TroubleFacts(
                    kind=one.kind, record_id=one.record_id, name=one.name, failures=one.failures
                )
                for one in found.troubles
            ),
        ),
        (
            copilot.cite(CitedKind.REVIEWS, "reviews", ""),
            *(
                copilot.cite(trouble_page(one.kind), one.record_id, one.name)
                for one in found.troubles
            ),
        ),
    )


def trouble_page(kind: str) -> CitedKind:
    """Return the record type that a problem concerns. `kind`: a value from
    `domain/dashboard/overview.py`."""
    return CitedKind.WEBHOOK if kind.startswith("webhook") else CitedKind.INTEGRATION


READ_OVERVIEW: Final = ReadTool(
    "read_overview",
    "The work that needs the team now: open reviews, the amounts at stake, and problems.",
    ANYONE,
    ("GET", "/app"),
    OverviewAsked,
    _read,
)
