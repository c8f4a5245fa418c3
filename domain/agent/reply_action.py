"""The reply: the action that brings an answer to the customer."""

from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.situation import Situation
from domain.intake.event import Channel


def reply_action(situation: Situation) -> PlannedAction:
    """The action that answers the event: in its helpdesk's ticket, by mail where the customer
    wrote a mail, else in place. A mail without a usable address is answered in place too: the
    caller knows where it came from."""
    event, desk = situation.event, situation.desk
    if desk is not None:
        return PlannedAction(
            kind=ActionKind.REPLY_IN_HELPDESK,
            integration_id=desk.integration_id,
            ticket_id=event.ticket_id,
        )
    if event.channel is Channel.EMAIL and event.customer_email:
        return PlannedAction(kind=ActionKind.REPLY_BY_EMAIL)
    return PlannedAction(kind=ActionKind.REPLY)


def answer_action(situation: Situation) -> PlannedAction:
    """The same; a note for the staff where the helpdesk takes answers as notes."""
    reply = reply_action(situation)
    return reply.as_note if situation.answers_by_note else reply
