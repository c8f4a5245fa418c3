"""Replay scenarios for messages that human agents receive instead of the agent, with their
brains."""

import asyncio
from collections.abc import Callable
from typing import Final

import sqlalchemy as sa

from domain.agent.brain import Brain, BrainAnswer, BrainRequest, Category
from domain.agent.intent import Intent
from domain.agent.rulebook import DuringReview, Rulebook
from domain.integrations.errors import MailRefused
from domain.reviews.escalation import Decision
from store.playbooks.tables import playbook_versions
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations
from tests.replay.scenarios import Scenario, answered, brain_failed
from tests.support.agent.later_turns import OTHER_MATTER
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop

WAITS: Final = "Attendez"
UNSURE: Final = "peut-être"
DRAFTED: Final = "Où est ma commande 1042 ? Le chat a mangé le bon de livraison."


class RefusingBrain:
    def __init__(self, _: LiveEngine) -> None:
        pass

    async def think(self, _: BrainRequest) -> BrainAnswer:
        raise MailRefused("an error that is not retried")


class LateBrain:
    """A confident brain with a slow customer message, which it processes until a review is
    opened."""

    def __init__(self, engine: LiveEngine) -> None:
        self._engine = engine

    async def think(self, request: BrainRequest) -> BrainAnswer:
        if WAITS not in request.text:
            return self._answer(sure=False)

        async def asked() -> bool:
            return bool(await rows(self._engine.database, escalation_tickets))

        await eventually(asked)
        return self._answer(sure=UNSURE not in request.text)

    def _answer(self, *, sure: bool) -> BrainAnswer:
        return BrainAnswer(
            classification=Category.OTHER,
            confidence=0.99 if sure else 0.1,
            language="fr",
            response="Bonjour.",
            model="late",
        )


async def joined(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """The previous message's review is still open."""
    asked = {"customer_email": "a@b.example", "message": UNSURE_MESSAGE}
    await answered(engine, shop, **asked)
    return await answered(engine, shop, **asked)


async def joined_unread(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """The message is about a sensitive topic, so only humans read it."""
    customer = {"customer_email": "a@b.example"}
    await answered(engine, shop, message=UNSURE_MESSAGE, **customer)
    return await answered(engine, shop, message="Mon avocat va vous assigner.", **customer)


async def answered_aside(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """The message is about another subject than the open review."""
    during = Rulebook(during_review=DuringReview(answers=True))
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(playbook_versions).values(rulebook=during.model_dump(mode="json"))
        )
    customer = {"customer_email": "a@b.example"}
    await answered(engine, shop, message=UNSURE_MESSAGE, **customer)
    return await answered(engine, shop, message=OTHER_MATTER, **customer)


async def left_open(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """An approval leaves a message open that arrived after the draft."""
    customer = {"customer_email": "a@b.example"}
    case = await answered(engine, shop, message=DRAFTED, **customer)
    later = await answered(engine, shop, message=UNSURE_MESSAGE, **customer)
    await engine.client.get_workflow_handle(later).result()
    review = await only_row(engine.database, escalation_tickets)
    await engine.decide(review["id"], Decision.APPROVE, seen_event=review["latest_event_id"])
    return case


async def joined_before_answering(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _overtaken(engine, shop, WAITS)


async def joined_before_asking(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _overtaken(engine, shop, f"{WAITS} {UNSURE}")


async def _overtaken(engine: LiveEngine, shop: Shop, message: str) -> str:
    """While the agent processes the message, a review is opened for a later one."""
    customer = {"customer_email": "a@b.example"}
    waiting = asyncio.create_task(answered(engine, shop, message=message, **customer))

    async def filed() -> bool:
        return bool(await rows(engine.database, ai_conversations))

    await eventually(filed)
    await answered(engine, shop, message=UNSURE_MESSAGE, **customer)
    return await waiting


class TwoMattersBrain:
    """A brain that is confident about delivery costs, but not about a refund."""

    def __init__(self, _: LiveEngine) -> None:
        pass

    async def think(self, request: BrainRequest) -> BrainAnswer:
        is_sure = OTHER_MATTER in request.text
        return BrainAnswer(
            classification=Category.PRODUCT_QUESTION if is_sure else Category.REFUND_REQUEST,
            intents=(Intent.DELIVERY_OPTIONS if is_sure else Intent.REFUND,),
            confidence=0.99 if is_sure else 0.1,
            language="fr",
            response="Bonjour, merci beaucoup !",
            model="two matters",
        )


BRAINS: dict[str, Callable[[LiveEngine], Brain]] = {
    brain_failed.__name__: RefusingBrain,
    joined_before_answering.__name__: LateBrain,
    joined_before_asking.__name__: LateBrain,
    answered_aside.__name__: TwoMattersBrain,
}
"""Scenarios whose worker uses another brain than the embedded one."""

THREAD_SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        joined,
        joined_unread,
        answered_aside,
        left_open,
        joined_before_answering,
        joined_before_asking,
    )
}
