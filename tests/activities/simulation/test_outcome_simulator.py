"""The outcome simulator: conversations about a made-up order, processed by the embedded brain."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.system import new_ulid
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, Rulebook
from domain.content.suggestion import SuggestedEntry
from domain.core.ids import TenantId
from domain.integrations.order import LookupState
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.asked import SimulationAsked
from domain.simulation.contracts import SimulateInput
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome, Simulation
from domain.simulation.scenario import (
    Scenario,
    ScenarioCustomer,
    ScenarioMessage,
    ScenarioOrder,
)
from domain.simulation.variant import LIVE, ContentVariant, Variant
from tests.support.agent.acting import CUSTOMER, WISH, promising, rules
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop
from tests.support.tenants.spending import unpaid_shop

_CONFIRMED = rules(ActionLevel.CUSTOMER_CONFIRMED)
_ORDER = ScenarioOrder(number="2001", total="49.00")
_WITHOUT_NUMBER = "Bonjour, je voudrais être remboursée, merci."
_YES = "Oui, merci."


def scenario(*said: str, order: ScenarioOrder | None = _ORDER, verified: bool = True) -> Scenario:
    """Build a scenario from the customer's messages; a message that starts with ">" is a human
    agent's."""
    return Scenario(
        messages=tuple(
            ScenarioMessage(author="human", text=text[1:])
            if text.startswith(">")
            else ScenarioMessage(text=text)
            for text in said
        ),
        event_type="shopify.ticket.created",
        customer=ScenarioCustomer(email=CUSTOMER, verified=verified),
        order=order,
    )


async def _thought(
    engine: LiveEngine, shop: Shop, asked: Scenario, variant: Variant = LIVE
) -> tuple[SimulatedOutcome, ...]:
    simulator = engine.activities.simulate._simulator
    return (await simulator.conversation(shop.tenant, asked, variant)).outcomes


async def _shop(engine: LiveEngine, rulebook: Rulebook = _CONFIRMED) -> Shop:
    shop = await open_shop(engine.database, rulebook=rulebook)
    await promising(engine, shop)
    return shop


async def test_the_caller_learns_how_long_each_message_took(engine: LiveEngine, shop: Shop) -> None:
    took: list[float] = []

    async def after(worked_s: float) -> None:
        took.append(worked_s)

    simulator = engine.activities.simulate._simulator
    asked = scenario(ORDER_QUESTION, ">Bonjour", _YES)
    await simulator.conversation(shop.tenant, asked, LIVE, after_message=after)

    assert len(took) == 2
    assert min(took) > 0


async def test_clients_without_a_plan_simulate_one_after_another(
    engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulation of 20 messages uses seconds of the worker's event loop."""
    step, present, most = engine.activities.simulate, 0, 0
    whole = step._simulator.conversation

    async def conversation(
        tenant: TenantId,
        asked: Scenario,
        variant: Variant,
        *,
        after_message: Callable[[float], Awaitable[None]] | None,
    ) -> Simulation:
        nonlocal present, most
        present += 1
        most = max(most, present)
        simulation = await whole(tenant, asked, variant, after_message=after_message)
        present -= 1
        return simulation

    monkeypatch.setattr(step._simulator, "conversation", conversation)
    asked = SimulationAsked(scenario=scenario(ORDER_QUESTION), variant=LIVE)
    sealed = step._sealer.seal(asked.model_dump_json())
    shops = [await unpaid_shop(engine.database) for _ in range(4)]
    given = [SimulateInput(client_id=one.client_id, id=new_ulid(), sealed=sealed) for one in shops]

    await asyncio.gather(*(ActivityEnvironment().run(step.think, one) for one in given))

    assert most == 1


async def test_the_number_is_asked_for_given_and_the_refund_confirmed(engine: LiveEngine) -> None:
    shop = await _shop(engine)

    which, sure, done, again = await _thought(
        engine, shop, scenario(_WITHOUT_NUMBER, "2001", _YES, WISH)
    )

    assert [one.status for one in (which, sure, done)] == [OutcomeStatus.COMPLETED] * 3
    assert all(step.kind is not ActionKind.REFUND for one in (which, sure) for step in one.plan)
    assert "49,00 EUR" in sure.response
    refund = next(step for step in done.plan if step.kind is ActionKind.REFUND)
    assert (refund.order_number, str(refund.amount)) == ("2001", "49.00 EUR")
    assert done.playbook is not None
    assert (done.playbook.id, done.playbook.version) == (shop.playbook_id, 1)
    assert again.lookup is not None
    assert again.lookup.order is not None
    assert again.lookup.order.refundable.minor == 0
    assert all(step.kind is not ActionKind.REFUND for step in again.plan)


async def test_a_question_is_void_once_a_person_has_answered(engine: LiveEngine) -> None:
    shop = await _shop(engine)

    asked, yes = await _thought(
        engine, shop, scenario(WISH, ">Je m'en occupe, bonne journée.", _YES)
    )

    assert "49,00 EUR" in asked.response
    assert all(step.kind is not ActionKind.REFUND for step in yes.plan)


async def test_people_keep_a_conversation_until_they_have_answered(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database)
    for_people = "Je veux parler à un humain."

    theirs, held = await _thought(engine, shop, scenario(for_people, ORDER_QUESTION, order=None))
    _, free = await _thought(
        engine, shop, scenario(for_people, ">Bonjour.", ORDER_QUESTION, order=None)
    )

    assert theirs.reason is EscalationReason.CUSTOMER_REQUEST
    assert (held.status, held.held, held.response) == (OutcomeStatus.NEEDS_REVIEW, True, "")
    assert held.draft == free.draft != ""
    assert (free.status, free.held, free.response) == (OutcomeStatus.COMPLETED, False, free.draft)


async def test_nobody_vouches_for_the_customer(engine: LiveEngine) -> None:
    shop = await _shop(engine, rules())

    (outcome,) = await _thought(engine, shop, scenario(WISH, verified=False))

    assert outcome.lookup is None
    assert all(step.kind is not ActionKind.REFUND for step in outcome.plan)


async def test_an_order_that_the_shop_does_not_have(engine: LiveEngine) -> None:
    shop = await _shop(engine, rules())

    (outcome,) = await _thought(engine, shop, scenario(WISH.replace("2001", "9999")))

    assert outcome.lookup is not None
    assert outcome.lookup.state is LookupState.NOT_FOUND


async def test_what_is_tried_counts_in_place_of_what_is_live(engine: LiveEngine) -> None:
    shop = await _shop(engine, rules())
    draft = PlaybookSpec(name="Prudent", event_type="*", rulebook=Rulebook())
    entry = SuggestedEntry(
        kind="knowledge",
        title="Commandes",
        body="Chaque commande part le jour même.",
        language="fr",
    )
    tracked = scenario(ORDER_QUESTION, order=None)

    (live,) = await _thought(engine, shop, scenario(WISH))
    (prudent,) = await _thought(
        engine, shop, scenario(WISH), Variant(playbook_id=shop.playbook_id, draft=draft)
    )
    (strict,) = await _thought(engine, shop, tracked, Variant(threshold=1))
    (content,) = await _thought(engine, shop, tracked, Variant(content=ContentVariant(added=entry)))
    (after,) = await _thought(engine, shop, tracked)

    assert [step.kind for step in live.plan][:1] == [ActionKind.REFUND]
    assert all(step.kind is not ActionKind.REFUND for step in prudent.plan)
    assert (strict.status, after.status) == (OutcomeStatus.NEEDS_REVIEW, OutcomeStatus.COMPLETED)
    assert [found.title for found in content.findings] == ["Commandes"]
    assert after.findings == ()


async def test_a_version_and_a_playbook_that_are_not_there(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database)

    for variant in (
        Variant(playbook_id="01J9ZQ4Z8N3V5X7B2C4D6E8F0G"),
        Variant(playbook_id=shop.playbook_id, version=7),
    ):
        with pytest.raises(PlaybookNotFound):
            await _thought(engine, shop, scenario(WISH), variant)
