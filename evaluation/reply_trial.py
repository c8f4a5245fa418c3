"""Customers' replies to the agent's question, and whether the product recognizes each as a yes."""

from typing import Final

from domain.agent.brain import Language
from domain.agent.consent.answering import read_confirmation
from domain.agent.consent.confirmation import Assent
from domain.agent.plan import PlannedAction
from domain.agent.thread import Thread
from domain.core.money import Money
from evaluation.action_case import CURRENCY, CaseAction
from evaluation.action_shop import event_of
from evaluation.figure import HandFigure, tally
from evaluation.sealing import HandRow, LabelledSet

LEAST_CARRIED_OUT: Final = 0.95
_ORDER: Final = "1042"
_SUM: Final = Money.parse("49.90", CURRENCY)


class ReplyText(HandRow):
    """A customer's reply. `is_yes` means that a careful human would accept it as a yes to exactly
    the agent's question."""

    language: Language
    action: CaseAction
    text: str
    is_yes: bool


def reply_figures(replies: LabelledSet[ReplyText]) -> tuple[HandFigure, ...]:
    read = {reply.id: _assent(reply) for reply in replies.rows}

    def detail(reply: ReplyText) -> str:
        return f"{read[reply.id]}: {reply.text}"

    return (
        HandFigure(
            "replies",
            "yes, and carried out",
            tally(
                replies,
                lambda reply: read[reply.id] is Assent.YES,
                of=lambda reply: reply.is_yes,
                detail=detail,
            ),
            least=LEAST_CARRIED_OUT,
        ),
        HandFigure(
            "replies",
            "misleading, and taken as a yes",
            tally(
                replies,
                lambda reply: read[reply.id] is Assent.YES,
                of=lambda reply: not reply.is_yes,
                detail=detail,
            ),
            most=0,
        ),
    )


def _assent(reply: ReplyText) -> Assent:
    kind = reply.action.kind
    asked = PlannedAction(kind=kind, order_number=_ORDER, amount=_SUM)
    event = event_of(reply.text, Thread(language=reply.language, asked_number=kind))
    return read_confirmation(event.text, event.order_numbers, asked).assent
