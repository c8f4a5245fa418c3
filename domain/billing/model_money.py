"""Budgets for language models: a monthly budget per client, and a daily budget for all clients
together."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from domain.core.period import Period

_UNPAID_PART: Final = 4


@dataclass(frozen=True, slots=True)
class ModelBudget:
    """Limits on the cost of language models, in millionths of a US dollar. None means no limit.

    - `month_micros`: per month, for a client without its own budget.
    - `installation_day_micros`: per UTC day, for all clients together.
    - `trial_day_micros`: per UTC day, for all clients without a paid plan together.
    """

    month_micros: int = 0
    installation_day_micros: int | None = None
    trial_day_micros: int | None = None

    def month(self, own_micros: int | None, *, is_unpaid: bool) -> int:
        """Return a client's monthly budget, in millionths of a US dollar.

        `own_micros` is the operator's budget for the client, or None. Without it, a client without
        a paid plan gets a quarter of `trial_day_micros`, so that no account uses up the shared
        daily budget.
        """
        if own_micros is not None:
            return own_micros
        if is_unpaid and self.trial_day_micros is not None:
            return min(self.month_micros, self.trial_day_micros // _UNPAID_PART)
        return self.month_micros

    def ceiling(self, scope: "SpendingScope") -> int | None:
        """Return the daily limit for a scope, in millionths of a US dollar, or None for no
        limit."""
        if scope is SpendingScope.TRIAL:
            return self.trial_day_micros
        return self.installation_day_micros


NO_MODEL_BUDGET: Final = ModelBudget()


class SpendingScope(StrEnum):
    """A set of clients that share a daily spending counter. The values are stored in the
    database."""

    TRIAL = "trial"
    INSTALLATION = "installation"


class BudgetRefusal(StrEnum):
    """The exhausted budget: the client's monthly budget, or a daily budget shared by several
    clients."""

    MONTH = "month"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class BudgetReservation:
    """A budget reservation for one answer from a language model, with the counters to which the
    amount is charged."""

    period: Period
    day: date
    scopes: tuple[SpendingScope, ...]


def scopes_of(*, is_unpaid: bool) -> tuple[SpendingScope, ...]:
    """Return the daily counters to which a client's spending is charged. The counter shared by
    fewer clients is first."""
    if is_unpaid:
        return SpendingScope.TRIAL, SpendingScope.INSTALLATION
    return (SpendingScope.INSTALLATION,)
