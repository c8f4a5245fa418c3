"""Thinking a message through: what a brain is shown, and what code makes of what it says.

The one way for runs, dry runs and the tests of the agent's judgement.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Brain, BrainAnswer, BrainRequest, Category, Passage, Template, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.grounding import unsupported
from domain.agent.plan import PlannedAction
from domain.agent.policy import judge, offers
from domain.agent.rulebook import Rulebook
from domain.agent.safety.detection import unsafe
from domain.agent.situation import Connection, Situation, Spent
from domain.agent.verdict import Judgement
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import asks_about_order
from domain.integrations.order import Lookup, LookupState, Order

_ABOUT_ORDERS: Final = frozenset(
    {Category.ORDER_STATUS, Category.SHIPPING_ISSUE, Category.REFUND_REQUEST}
)


@dataclass(frozen=True, slots=True)
class Material:
    """All there is to think with. `lookup`: None where no order was looked up. `has_shop`: a shop
    is connected, though it may not take our credentials at the moment. `system_prompt`: what the
    client tells a language model, whichever the playbook."""

    event: UnifiedEvent
    brand_name: str
    rulebook: Rulebook
    templates: tuple[Template, ...]
    passages: tuple[Passage, ...]
    turns: tuple[Turn, ...] = ()
    summary: str = ""
    lookup: Lookup | None = None
    connections: tuple[Connection, ...] = ()
    spent: Spent = field(default_factory=Spent)
    has_shop: bool = False
    system_prompt: str = ""

    @property
    def instructions(self) -> str:
        """The merchant's to a language model: those for all messages, then the playbook's."""
        given = (self.system_prompt.strip(), self.rulebook.instructions.strip())
        return "\n\n".join(filter(None, given))

    @property
    def order(self) -> Order | None:
        """The order that was found, and is this customer's."""
        return self.lookup.order if self.lookup else None


class Finding(BaseModel):
    """A knowledge entry that was found. `left_out`: it tries to give orders, nobody was shown it.

    `rank`: PostgreSQL's, higher is nearer.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    rank: float
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class ThinkingResult:
    """What came of it. `hold`: why a human must see it, however sure the brain is.

    `text` is the answer to give; empty where the brain's would promise what will not be done.
    """

    answer: BrainAnswer
    judgement: Judgement
    findings: tuple[Finding, ...]
    hold: EscalationReason | None
    text: str

    @property
    def plan(self) -> tuple[PlannedAction, ...]:
        return self.judgement.plan


async def think_through(brain: Brain, material: Material, now: datetime) -> ThinkingResult:
    """Show the brain what it may see, and judge what it says. Raises only what the brain raises."""
    findings = tuple(_finding(passage) for passage in material.passages)
    situation = _situation(material, now)
    shown = {finding.id for finding in findings if not finding.left_out}
    request = BrainRequest.about(
        material.event,
        brand_name=material.brand_name,
        templates=material.templates,
        passages=tuple(passage for passage in material.passages if passage.id in shown),
        # The message that such a turn was has been seen by a human already.
        turns=tuple(turn for turn in material.turns if unsafe(turn.body) is None),
        summary=material.summary,
        instructions=material.instructions,
        order=_readable(material.order),
        offers=offers(situation),
    )
    answer = await brain.think(request)
    judgement = judge(situation, answer.classification, answer.proposals)
    return ThinkingResult(
        answer=answer,
        judgement=judgement,
        findings=findings,
        hold=judgement.doubt or (_doubt(material, request, answer) if judgement.plan else None),
        text="" if judgement.refused else answer.response,
    )


def _situation(material: Material, now: datetime) -> Situation:
    event = material.event
    written = (event.subject or "", event.text, event.customer_name or "")
    return Situation(
        event=event,
        rulebook=material.rulebook,
        connections=material.connections,
        order=material.order,
        spent=material.spent,
        unsafe=any(unsafe(text) is not None for text in (*written, *event.fields.values())),
        now=now,
    )


def _finding(passage: Passage) -> Finding:
    left_out = unsafe(f"{passage.title}\n{passage.body}") is not None
    return Finding(id=passage.id, title=passage.title, rank=passage.rank, left_out=left_out)


def _readable(order: Order | None) -> Order | None:
    """The order without what others wrote on it, if that tries to give orders."""
    if order is None or unsafe(order.note) is None:
        return order
    return order.model_copy(update={"note": ""})


def _doubt(
    material: Material, request: BrainRequest, answer: BrainAnswer
) -> EscalationReason | None:
    return (
        _doubt_of_history(material, answer.classification)
        or _doubt_of_lookup(material, answer.classification)
        or _doubt_of_sources(answer, request)
    )


def _doubt_of_history(material: Material, category: Category) -> EscalationReason | None:
    """Who asks for money of an order that the agent gave back already needs a human's eyes: no
    offer is made any more, so the brain would answer as if nothing had happened."""
    asks = category is Category.REFUND_REQUEST and bool(material.spent.on_order)
    return EscalationReason.POLICY_RESTRICTION if asks else None


def _doubt_of_lookup(material: Material, category: Category) -> EscalationReason | None:
    """A question about an order is not answered from hearsay where a shop could tell.

    Not even where it was not asked: of whom nobody vouches for, no order is looked up.
    """
    about_one = category is Category.ORDER_STATUS or material.event.order_number is not None
    if category not in _ABOUT_ORDERS or not about_one or not material.has_shop:
        return None
    match material.lookup:
        case Lookup(state=LookupState.FOUND):
            return None
        case Lookup(state=LookupState.UNAVAILABLE):
            return EscalationReason.TOOL_FAILURE
        case None if asks_about_order(material.event):
            return EscalationReason.TOOL_FAILURE  # it was to be looked up, and nothing came of it
        case _:
            return EscalationReason.MISSING_KNOWLEDGE


def _doubt_of_sources(answer: BrainAnswer, request: BrainRequest) -> EscalationReason | None:
    """What is asserted without a source is seen by a human first."""
    return (
        EscalationReason.MISSING_KNOWLEDGE
        if unsupported(answer.response, answer.citations, request)
        else None
    )
