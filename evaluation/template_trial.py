"""Trials of ready answers: how often the agent sends a wrong one, or the right one, without human
review."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.agent.brain import Brain, Template
from domain.agent.brain_context import BrainContext
from domain.agent.policy_context import Connection
from domain.agent.rulebook import Rulebook
from domain.agent.thinking import think_through
from domain.core.errors import DomainError
from domain.core.money import Money
from domain.intake.event import DEFAULT_EVENT_TYPE, InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from domain.intake.order_number import asks_about_order
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.playbooks.playbook import DEFAULT_THRESHOLD
from domain.runs.run import RunDraft, review_reason
from evaluation.attacked_shop import NOW
from evaluation.figure import HandFigure, tally
from evaluation.hand_rows import TemplateMessage
from evaluation.net import safety_net
from evaluation.ready_answers import ready_answers
from evaluation.sealing import LabelledSet

MOST_WRONG_SENT: Final = 0.02
_CUSTOMER: Final = "ines.faure@customer.example"
_ORDER: Final = Order(
    integration_id="shop",
    provider=Provider.SHOPIFY,
    id="order-1042",
    number="1042",
    customer_email=_CUSTOMER,
    state=OrderState.SHIPPED,
    total=Money(minor=4_990, currency="EUR"),
    refundable=Money(minor=4_990, currency="EUR"),
    placed_at=NOW - timedelta(days=4),
    tracking_url="https://carrier.example/INES-1",
    items=("Lamp",),
)


@dataclass(frozen=True, slots=True)
class TemplateOutcome:
    """The outcome of one message. `sent` is the ready answer that was sent without human review, or
    None."""

    message: TemplateMessage
    sent: Template | None = None

    @property
    def id(self) -> str:
        return self.message.id

    @property
    def sent_the_right_one(self) -> bool:
        return self.sent is not None and self.sent.category is self.message.category


async def try_template(brain: Brain, message: TemplateMessage) -> TemplateOutcome:
    """Send one message to a shop that has the six ready answers and lets the agent answer without
    human review. If the brain fails, no answer is sent."""
    inbound = InboundEvent(
        event_type=DEFAULT_EVENT_TYPE, customer_email=_CUSTOMER, message=message.text
    )
    event = normalize(inbound, fallback_ticket_id="evaluation")
    context = BrainContext(
        event=event,
        brand_name="Maison Test",
        rulebook=Rulebook(),
        templates=ready_answers().ready,
        passages=(),
        lookup=_looked_up(event) if asks_about_order(event) else None,
        connections=(Connection(integration_id="shop", provider=Provider.SHOPIFY),),
        has_shop=True,
    )
    try:
        thought = await think_through(brain, context, NOW, safety_net())
    except DomainError:
        return TemplateOutcome(message)
    if review_reason(RunDraft.of(thought), DEFAULT_THRESHOLD) is not None or not thought.text:
        return TemplateOutcome(message)
    cited = {cited.id for cited in thought.answer.citations if cited.kind == "template"}
    sent = next((it for it in ready_answers().ready if it.id in cited), None)
    return TemplateOutcome(message, sent)


def _looked_up(event: UnifiedEvent) -> Lookup:
    number = event.order_number
    if number in {None, _ORDER.number}:
        return Lookup(state=LookupState.FOUND, order=_ORDER, number=number)
    return Lookup(state=LookupState.NOT_FOUND, number=number)


def template_figures(outcomes: LabelledSet[TemplateOutcome]) -> tuple[HandFigure, ...]:
    def detail(outcome: TemplateOutcome) -> str:
        sent = outcome.sent.name if outcome.sent else "nothing"
        return f"{sent} for {outcome.message.category}: {outcome.message.text}"

    return (
        HandFigure(
            "templates",
            "wrong one sent",
            tally(
                outcomes,
                lambda one: one.sent is not None,
                of=lambda one: not one.message.right,
                detail=detail,
            ),
            most=MOST_WRONG_SENT,
        ),
        HandFigure(
            "templates",
            "right one sent",
            tally(
                outcomes,
                lambda one: one.sent_the_right_one,
                of=lambda one: one.message.right,
                detail=detail,
            ),
        ),
    )
