"""A customer who writes again during a review, and a brain that reads each message."""

from typing import Any

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_decision import Judgement, PolicyDecision, Ruling
from domain.agent.rulebook import ActionLevel, DuringReview, Rulebook
from domain.agent.thinking_result import ThinkingResult
from domain.integrations.order import Order
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.agent.acting import CUSTOMER, Acting, rules
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row

REFUND_OF = "Bonjour, je voudrais être remboursée de ma commande n° {}, merci."
CORRECTION = "Pardon, je voulais dire {}"
OTHER_MATTER = "Combien coûte la livraison ?"
UNSURE = "Mon peignoir ne me plaît pas tant que ça."
DELIVERY = "Bonjour, merci beaucoup !"
REFUNDED = "Nous vous remboursons."


class ReadingBrain:
    """A brain that is confident about refunds and delivery costs. `texts` are the messages that it
    received."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def think(self, request: BrainRequest) -> BrainAnswer:
        self.texts.append(request.text)
        if "rembours" in request.text:
            return _answer(
                Category.REFUND_REQUEST,
                REFUNDED,
                Intent.REFUND,
                proposals=(Proposal(kind=ActionKind.REFUND),) if request.offers else (),
                order=request.order,
            )
        if OTHER_MATTER in request.text:
            return _answer(Category.PRODUCT_QUESTION, DELIVERY, Intent.DELIVERY_OPTIONS)
        return _answer(Category.OTHER, "Bonjour.", None, confidence=0.1)


def _answer(
    category: Category,
    text: str,
    intent: Intent | None,
    *,
    confidence: float = 0.99,
    proposals: tuple[Proposal, ...] = (),
    order: Order | None = None,
) -> BrainAnswer:
    return BrainAnswer(
        classification=category,
        intents=() if intent is None else (intent,),
        confidence=confidence,
        language="fr",
        response=text,
        proposals=proposals,
        citations=(Citation(kind="order", id=order.id, title=order.number),) if order else (),
        model="reading",
    )


def thought_of(text: str, *plan: PlannedAction, needs_second: bool = False) -> ThinkingResult:
    """Return a thought with this draft and plan."""
    ruling = Ruling.NEEDS_SECOND if needs_second else Ruling.NEEDS_APPROVAL
    verdicts = tuple(PolicyDecision(kind=step.kind, ruling=ruling) for step in plan)
    return ThinkingResult(
        answer=_answer(Category.REFUND_REQUEST, text, Intent.REFUND),
        judgement=Judgement(plan=(*plan, PlannedAction(kind=ActionKind.REPLY)), verdicts=verdicts),
        findings=(),
        hold=None,
        text=text,
    )


def waiting_rules(
    level: ActionLevel = ActionLevel.HUMAN_APPROVED,
    *,
    answers: bool = True,
    actions: bool = False,
    per_action: int = 5_000,
) -> Rulebook:
    """Return rules with refunds at this level, and the agent's behavior during a review."""
    during = DuringReview(answers=answers, actions=actions)
    return rules(level, per_action=per_action).model_copy(update={"during_review": during})


async def writes(engine: LiveEngine, it: Acting, message: str, **event: str) -> dict[str, Any]:
    """Post a customer's message, and return the answer, with the run's row as `run`."""
    given = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER, **event}
    facts: dict[str, Any] = (await engine.post(it.shop, message=message, **given)).json()
    return {**facts, "run": await only_row(engine.database, engine_runs, id=facts["run_id"])}


async def the_review(engine: LiveEngine, it: Acting) -> dict[str, Any]:
    return await only_row(engine.database, escalation_tickets, of=it.shop)


async def ended(engine: LiveEngine, it: Acting, facts: dict[str, Any]) -> dict[str, Any]:
    """Wait until a message's run has ended, and return its row."""
    await engine.run_of(it.shop, facts["event_id"]).result()
    return await only_row(engine.database, engine_runs, id=facts["run_id"])
