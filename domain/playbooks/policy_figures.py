"""The agent's actions under its policy, by kind of action."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.agent.plan import ActionKind
from domain.core.money import Money

POLICY_PERIOD: Final = timedelta(days=30)
"""The period that the policy's metrics cover."""


@dataclass(frozen=True, slots=True)
class ActionFigures:
    """The metrics for one kind of action: executed actions, actions refused by the policy, and
    executed amounts by currency."""

    done: int = 0
    refused: int = 0
    amounts: tuple[Money, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyFigures:
    """The metrics for `POLICY_PERIOD`, by kind of action. If `is_partial` is true, not all records
    were examined, and the metrics are lower bounds."""

    by_kind: Mapping[ActionKind, ActionFigures]
    is_partial: bool = False

    def of(self, kind: ActionKind) -> ActionFigures:
        return self.by_kind.get(kind, ActionFigures())
