"""Replay scenarios for runs whose language model fails."""

import dataclasses
from collections.abc import Callable
from datetime import timedelta

from activities.agent.brain_budget import BrainBudget
from activities.agent.think import Think
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.brain_choice import Brains
from domain.agent.errors import BrainUnavailable
from domain.agent.safety.net import SafetyGrammar
from domain.billing.model_money import ModelBudget
from domain.core.names import process_event_id
from domain.intake.event import Channel
from domain.runs.contracts import ProcessEventInput
from tests.replay.scenarios import Scenario
from tests.support.agent.acting import ScriptedBrain
from tests.support.core.engine import LiveEngine
from tests.support.intake.admission import admit_event
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop


class LateModel(ScriptedBrain):
    """A language model that fails once."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        answer = await super().think(request)
        if len(self.requests) == 1:
            raise BrainUnavailable
        return answer


class UnsureBrain(ScriptedBrain):
    async def think(self, request: BrainRequest) -> BrainAnswer:
        return (await super().think(request)).model_copy(update={"confidence": 0.1})


async def waited_for_model(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    admitted = await admit_event(
        engine.database, shop, event_type="email.inbound", message=ORDER_QUESTION
    )
    run = ProcessEventInput(ref=admitted.ref, threshold=0.7, remote_brain=True)
    assert await engine.engine.start(run)
    return process_event_id(shop.client_id, admitted.ref.event_id)


def _with_late_model(engine: LiveEngine) -> None:
    brains = Brains(
        UnsureBrain(category=Category.OTHER),
        LateModel(category=Category.OTHER, text="Bonjour, merci."),
        budget=ModelBudget(month_micros=1),
    )
    think = Think(
        engine.database,
        BrainBudget(engine.database, brains, utc_now),
        None,
        utc_now,
        new_ulid,
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
        patience={Channel.EMAIL: timedelta(seconds=1)},
    )
    engine.activities = dataclasses.replace(engine.activities, think=think)


MODEL_PREPARED: dict[str, Callable[[LiveEngine], object]] = {
    waited_for_model.__name__: _with_late_model
}
"""Changes to an engine before its worker starts."""

MODEL_SCENARIOS: dict[str, Scenario] = {waited_for_model.__name__: waited_for_model}
