"""The copilot tool that reads the conversations of unhappy customers."""

from datetime import datetime
from typing import Final

from pydantic import AwareDatetime, Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.runs.triage import ConversationStatus
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.runs.conversation_lists import ConversationLists, TalkFilter, TalkPlace

_PREVIEW: Final = 200
COUNTED_TO: Final = 50
"""Maximum number of conversations from the period that the tool returns, latest message first."""


class UnhappyWanted(CopilotInput):
    since: AwareDatetime = Field(description="Start of the period.")
    until: AwareDatetime = Field(description="End of the period, exclusive.")


class UnhappyFacts(CopilotFacts):
    conversation_id: str
    customer: Quoted | None
    latest_message: Quoted | None
    is_unanswered: bool
    status: ConversationStatus
    last_message_at: datetime


class UnhappyFound(CopilotFacts):
    conversations: tuple[UnhappyFacts, ...] = Field(
        description="Conversations with a critical latest mood, latest message first."
    )
    has_more: bool


async def _read(copilot: CopilotService, wanted: UnhappyWanted) -> ToolFindings[UnhappyFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found, _ = await ConversationLists(connection, copilot.tenant).page(
            TalkFilter(unhappy=True),
            after=TalkPlace(wanted.until, ""),
            limit=COUNTED_TO + 1,
            now=copilot.now,
        )
    of_period = [one for one in found if one.last_message_at >= wanted.since]
    shown = of_period[:COUNTED_TO]
    return ToolFindings(
        UnhappyFound(
            conversations=tuple(
                UnhappyFacts(
                    conversation_id=one.id,
                    customer=quoted(one.customer_email, 320),
                    latest_message=quoted(one.latest, _PREVIEW),
                    is_unanswered=bool(one.is_unanswered),
                    status=one.status,
                    last_message_at=one.last_message_at,
                )
                for one in shown
            ),
            has_more=len(of_period) > COUNTED_TO,
        ),
        (
            copilot.cite(CitedKind.UNHAPPY, "unhappy", ""),
            *(
                copilot.cite(CitedKind.CONVERSATION, one.id, one.customer_email or one.channel)
                for one in shown
            ),
        ),
    )


READ_UNHAPPY: Final = ReadTool(
    "read_unhappy_conversations",
    "Conversations with unhappy customers in a period, with their latest messages.",
    ANYONE,
    ("GET", "/api/dashboard/conversations"),
    UnhappyWanted,
    _read,
)
