"""The reply action, which delivers an answer to the customer."""

from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_context import Connection, PolicyContext
from domain.intake.event import Channel, UnifiedEvent


def reply_action(policy_context: PolicyContext) -> PlannedAction:
    """Return the action that answers the event: in its helpdesk ticket, by email, or in the
    gateway's response.

    An email without a usable address is answered in the gateway's response, because the caller
    knows the sender.
    """
    return reply_through(policy_context.event, policy_context.desk)


def reply_through(event: UnifiedEvent, desk: Connection | None) -> PlannedAction:
    """Return the action that answers the event, as `reply_action` does. `desk` is the connected
    helpdesk that contains the event's ticket, or None."""
    if desk is not None:
        return PlannedAction(
            kind=ActionKind.REPLY_IN_HELPDESK,
            integration_id=desk.integration_id,
            ticket_id=event.ticket_id,
        )
    if event.channel is Channel.EMAIL and event.customer_email:
        return PlannedAction(kind=ActionKind.REPLY_BY_EMAIL)
    return PlannedAction(kind=ActionKind.REPLY)


def answer_action(policy_context: PolicyContext) -> PlannedAction:
    """Return the reply action. It is an internal note if the agent writes its answers as notes in
    this helpdesk."""
    reply = reply_action(policy_context)
    return reply.as_note if policy_context.answers_by_note else reply
