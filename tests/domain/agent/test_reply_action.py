"""How a message is answered by the agent, and by a member."""

from datetime import UTC, datetime

from domain.agent.plan import ActionKind
from domain.agent.policy_context import Connection, PolicyContext
from domain.agent.reply_action import answer_action, reply_through
from domain.agent.rulebook import Rulebook
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.providers import Provider

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def test_a_members_reply_is_public_where_the_agent_writes_notes() -> None:
    desk = Connection(integration_id="i", provider=Provider.ZENDESK, answers_by_note=True)
    event = UnifiedEvent(
        channel=Channel.HELPDESK, platform="zendesk", ticket_id="7", ticket_named=True
    )
    agent = PolicyContext(event=event, rulebook=Rulebook(), connections=(desk,), now=NOW)
    assert answer_action(agent).kind is ActionKind.NOTE
    assert reply_through(event, desk).kind is ActionKind.REPLY_IN_HELPDESK
