"""The copilot tools that read customers' conversations, including the answers."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.core.ids import ULID
from domain.runs.correspondence import ConversationSummary, Message
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.runs.conversation_reading import ConversationReader
from store.runs.conversation_search import ConversationSearch, ConversationSearcher

_PREVIEW: Final = 200
_MESSAGES: Final = 10


class CustomerWanted(CopilotInput):
    words: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Words that one message of the conversation must contain.",
    )
    customer: str | None = Field(
        default=None, max_length=320, description="The customer's full email address."
    )
    limit: int = Field(default=5, ge=1, le=20)


class ConversationFacts(CopilotFacts):
    conversation_id: str
    customer: Quoted | None
    latest_message: Quoted | None
    sentiment: float | None
    answered_by_people: bool
    last_message_at: datetime


class ConversationsFound(CopilotFacts):
    conversations: tuple[ConversationFacts, ...] = Field(description="Conversations, newest first.")
    is_complete: bool = Field(description="False if older conversations were not searched.")


class ThreadWanted(CopilotInput):
    conversation_id: str = Field(pattern=ULID)


class MessageFacts(CopilotFacts):
    author: str = Field(description="Who wrote the message: `customer`, `agent` or `human`.")
    text: Quoted | None = Field(description="The message's text. An answer may quote the customer.")
    created_at: datetime
    run_id: str | None


class ThreadFound(CopilotFacts):
    conversation: ConversationFacts
    messages: tuple[MessageFacts, ...] = Field(description="The latest ten messages, oldest first.")


async def _find(
    copilot: CopilotService, wanted: CustomerWanted
) -> ToolFindings[ConversationsFound]:
    async with (
        copilot.message_searches.turn(copilot.tenant),
        copilot.database.reading(copilot.tenant) as connection,
    ):
        found = await ConversationSearcher(connection, copilot.tenant).search(
            ConversationSearch(wanted.words, wanted.customer), before=None, limit=wanted.limit
        )
    return ToolFindings(
        ConversationsFound(
            conversations=tuple(map(_facts, found.conversations)), is_complete=found.until is None
        ),
        tuple(
            copilot.cite(CitedKind.CONVERSATION, one.id, one.customer_email or one.channel)
            for one in found.conversations
        ),
    )


async def _read(copilot: CopilotService, wanted: ThreadWanted) -> ToolFindings[ThreadFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        reader = ConversationReader(connection, copilot.tenant)
        conversation = await reader.read(wanted.conversation_id)
        messages = await reader.messages(wanted.conversation_id, before=None, limit=_MESSAGES)
    runs = dict.fromkeys(one.run_id for one in messages if one.run_id is not None)
    title = conversation.customer_email or conversation.channel
    return ToolFindings(
        ThreadFound(
            conversation=_facts(conversation),
            messages=tuple(map(_message, reversed(messages))),
        ),
        (
            copilot.cite(CitedKind.CONVERSATION, conversation.id, title),
            *(copilot.cite(CitedKind.RUN, one, title) for one in runs),
        ),
    )


def _facts(one: ConversationSummary) -> ConversationFacts:
    return ConversationFacts(
        conversation_id=one.id,
        customer=quoted(one.customer_email, 320),
        latest_message=quoted(one.latest, _PREVIEW),
        sentiment=one.sentiment,
        answered_by_people=one.handed_over_at is not None,
        last_message_at=one.last_message_at,
    )


def _message(one: Message) -> MessageFacts:
    return MessageFacts(
        author=one.author, text=quoted(one.body), created_at=one.created_at, run_id=one.run_id
    )


FIND_CONVERSATIONS: Final = ReadTool(
    "find_conversations",
    "Find conversations by a customer's address or by words in a message, newest first.",
    ANYONE,
    ("GET", "/api/dashboard/runs"),
    CustomerWanted,
    _find,
)
READ_CONVERSATION: Final = ReadTool(
    "read_conversation",
    "The latest messages of one conversation, and the runs that answered them.",
    ANYONE,
    ("GET", "/api/dashboard/runs/{run_id}"),
    ThreadWanted,
    _read,
)
