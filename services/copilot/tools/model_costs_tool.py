"""The copilot tool that reads a client's spending on language models by month."""

from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.core.money import Money
from domain.core.period import Period, period_of
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.runs.brain_costs import BrainCost, BrainCosts

_CURRENCY: Final = "USD"
_MICROS_PER_CENT: Final = 10_000


class ModelCostsAsked(CopilotInput):
    period: str | None = Field(
        default=None,
        pattern=r"^20\d\d-(0[1-9]|1[0-2])$",
        description="Month, such as `2026-11`. Without it, the current month.",
    )


class ModelCostFacts(CopilotFacts):
    period: str
    calls: int
    tokens_in: int
    tokens_out: int
    spent: Money = Field(
        description="Spending, rounded up to a cent, including reservations for calls in progress."
    )


async def _read(copilot: CopilotService, wanted: ModelCostsAsked) -> ToolFindings[ModelCostFacts]:
    period = Period(wanted.period) if wanted.period else period_of(copilot.now)
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await BrainCosts(connection, copilot.tenant).spent(period)
    return ToolFindings(
        ModelCostFacts(
            period=period,
            calls=found.calls,
            tokens_in=found.tokens_in,
            tokens_out=found.tokens_out,
            spent=_spent(found),
        ),
        (copilot.cite(CitedKind.USAGE, period, period),),
    )


def _spent(cost: BrainCost) -> Money:
    return Money(minor=-(-cost.cost_micros // _MICROS_PER_CENT), currency=_CURRENCY)


READ_MODEL_COSTS: Final = ReadTool(
    "read_model_costs",
    "The money spent on language models in a month, with the number of calls and tokens.",
    ANYONE,
    ("GET", "/api/dashboard/usage"),
    ModelCostsAsked,
    _read,
)
