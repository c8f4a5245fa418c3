"""The rethinker: what a run would make of a message, with nothing kept and nothing done."""

from activities.agent.purse import Purse
from activities.runtime.fair_normalizer import FairNormalizer
from domain.agent.ports import Embedder, SafetyNet
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.integrations.ports import Connectors
from domain.runs.conversation import ANSWERS_PER_HOUR, ANSWERS_WITHOUT_PERSON
from domain.simulation.exchange import SimulatedExchange
from domain.simulation.outcome import SimulatedOutcome, Simulation
from domain.simulation.scenario import Scenario
from domain.simulation.variant import Variant
from store.core.database import Database


class Rethinker:
    """Thinks as runs do. It reads, asks shops for orders, and books what a language model costs.

    Everything but `normalizer` and `connectors` is as a run has it (`Think`).
    """

    def __init__(
        self,
        database: Database,
        purse: Purse,
        embedder: Embedder | None,
        now: Clock,
        *,
        normalizer: FairNormalizer,
        connectors: Connectors,
        net: SafetyNet,
        answers_per_hour: int = ANSWERS_PER_HOUR,
        answers_without_person: int = ANSWERS_WITHOUT_PERSON,
    ) -> None:
        self._database = database
        self._purse = purse
        self._embedder = embedder
        self._now = now
        self._normalizer = normalizer
        self._connectors = connectors
        self._net = net
        self._answers_per_hour = answers_per_hour
        self._answers_without_person = answers_without_person

    async def conversation(
        self, tenant: TenantId, scenario: Scenario, variant: Variant
    ) -> Simulation:
        """One outcome for each message of the customer. What a message settles carries over to the
        next one, as if each answer that is sent had been.

        Raises PlaybookNotFound for a playbook or version that the variant names, and
        EngineUnavailable.
        """
        raise NotImplementedError

    async def outcome(
        self, tenant: TenantId, exchange: SimulatedExchange, variant: Variant
    ) -> SimulatedOutcome:
        """What would come of one message. Raises as `conversation` does."""
        raise NotImplementedError
