"""Choose between the language model and the embedded brain, depending on the client's remaining
budget."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from domain.agent.brain import Brain, BrainAnswer, BrainRequest
from domain.agent.brain_choice import Brains
from domain.agent.errors import BrainFailed
from domain.agent.model_brain import DraftCheck, Lookups, ModelBrain
from domain.agent.model_fault import CallHealth, ModelFault
from domain.agent.thinking_result import ThinkingResult
from domain.billing.model_money import BudgetRefusal, BudgetReservation
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock
from services.core.model_money import ModelMoney
from store.core.database import Database


@dataclass(frozen=True, slots=True)
class ChosenBrain:
    """The brain chosen for a call, and the reserved budget, or None if the brain costs nothing.
    `fault` is the reason why the embedded brain replaces a configured model, or None."""

    brain: Brain
    reservation: BudgetReservation | None = None
    fault: ModelFault | None = None


class BrainBudget:
    def __init__(self, database: Database, brains: Brains, now: Clock) -> None:
        self._money = ModelMoney(database, brains.budget, now)
        self._brains = brains

    @property
    def sees_images(self) -> bool:
        """Return whether at least one of the brains accepts images."""
        return self._brains.sees_images

    @property
    def embedded(self) -> ChosenBrain:
        """Return the embedded brain, which needs no budget."""
        return ChosenBrain(self._brains.embedded)

    @property
    def has_model(self) -> bool:
        """Return whether a language model is configured."""
        return self._brains.model is not None

    async def choose(self, tenant: TenantId) -> ChosenBrain:
        """Reserve budget for one call to the language model, and return the model. Without budget
        or model, return the embedded brain. Call this outside any transaction. Raises
        EngineUnavailable."""
        if self._brains.model is None:
            return self.embedded
        reserved = await self._money.reserve(tenant, self._brains.reserve_micros)
        if isinstance(reserved, BudgetRefusal):
            return ChosenBrain(self._brains.embedded, fault=ModelFault.BUDGET)
        return ChosenBrain(self._brains.model, reserved)

    async def spend(
        self,
        tenant: TenantId,
        chosen: ChosenBrain,
        think: Callable[[Brain], Awaitable[ThinkingResult]],
    ) -> ThinkingResult:
        """Run `think` with the chosen brain, and return its result. The actual cost replaces the
        reservation, and is committed even if the result is never stored."""
        if chosen.reservation is None:
            return await think(chosen.brain)
        metered = _MeteredBrain(chosen.brain, self._brains.reserve_micros)
        try:
            return await think(metered)
        finally:
            cost = metered.cost
            await self._money.book(
                tenant,
                chosen.reservation,
                tokens_in=cost.tokens_in,
                tokens_out=cost.tokens_out,
                cost_micros=cost.cost_micros,
                reserved_micros=self._brains.reserve_micros,
                health=_health(cost),
            )


class _MeteredBrain:
    """A brain that remembers the cost of its call, even if a later step fails. An interrupted call
    costs `reserve_micros` because its real cost is unknown."""

    def __init__(self, brain: Brain, reserve_micros: int) -> None:
        self._brain = brain
        self._reserve_micros = reserve_micros
        self.cost: BrainAnswer | BrainFailed = BrainFailed()

    async def think(self, request: BrainRequest) -> BrainAnswer:
        return await self._metered(self._brain.think(request))

    async def think_checked(
        self, request: BrainRequest, check: DraftCheck, lookups: Lookups | None = None
    ) -> BrainAnswer:
        if isinstance(self._brain, ModelBrain):
            return await self._metered(self._brain.think_checked(request, check, lookups))
        return await self.think(request)

    async def _metered(self, call: Awaitable[BrainAnswer]) -> BrainAnswer:
        self.cost = BrainFailed(cost_micros=self._reserve_micros)
        try:
            self.cost = await call
        except BrainFailed as failure:
            self.cost = failure
            raise
        except OverBudget:
            # The message was too expensive to prepare, so no request was sent.
            self.cost = BrainFailed()
            raise
        return self.cost


def _health(cost: BrainAnswer | BrainFailed) -> CallHealth:
    """Return what a call's result indicates about the model. A result without a prompt version does
    not come from a language model, so it indicates nothing."""
    is_answer = isinstance(cost, BrainAnswer) and cost.prompt_version is not None
    return CallHealth(is_answered=is_answer, fault=cost.fault)
