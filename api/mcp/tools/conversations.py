"""Tools for conversations: customer messages and the answers to them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from api.mcp.results import (
    Cursor,
    Limit,
    McpPage,
    McpPart,
    Untrusted,
    page_of,
    untrusted,
)
from api.mcp.tool import AtWork, McpTool, ToolInput, tool
from api.mcp.tools.attachments import McpAttachment, shown_attachments
from domain.core.ids import ULID
from domain.runs.correspondence import ConversationSummary, Message
from domain.tenants.scopes import Scope
from store.runs.conversation_reading import ConversationReader
from store.runs.conversation_search import ConversationSearch, ConversationSearcher

_PREVIEW: Final = 300

ConversationId = Annotated[str, Field(pattern=ULID, description="Id of the conversation.")]


class ConversationsWanted(ToolInput):
    words: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description=(
            "Words that must all occur in one message of the conversation, in any inflected "
            "form. If omitted, all conversations match."
        ),
    )
    customer: str | None = Field(
        default=None, max_length=320, description="Complete email address of the customer."
    )
    limit: Limit = 20
    cursor: Cursor = None


class McpConversation(McpPart):
    conversation_id: str
    channel: str
    customer: Untrusted | None = Field(description="The customer's email address.")
    latest_message: Untrusted | None = Field(
        description="Beginning of the customer's latest message."
    )
    sentiment: float | None = Field(description="Sentiment of the latest message, from -1 to 1.")
    answered_by_people: bool = Field(
        description=(
            "True if human agents answer the conversation, because the AI agent no longer does."
        )
    )
    created_at: datetime
    last_message_at: datetime
    ended_at: datetime | None


class ConversationPage(McpPage):
    conversations: tuple[McpConversation, ...] = Field(description="Conversations, newest first.")


class ConversationWanted(ToolInput):
    conversation_id: ConversationId
    limit: Limit = 20
    cursor: Cursor = None


class McpMessage(McpPart):
    message_id: str
    author: Literal["customer", "agent", "human"]
    text: Untrusted | None = Field(
        description="Text of the message. An answer may quote the customer."
    )
    created_at: datetime
    run_id: str | None = Field(
        description="Id of the run. Pass it to get_run for an explanation of the answer."
    )
    attachments: tuple[McpAttachment, ...] = Field(
        description=(
            "Attachments that the customer sent with the message. Members can open them in the "
            "dashboard."
        )
    )


class WholeConversation(McpPage):
    conversation: McpConversation
    messages: tuple[McpMessage, ...] = Field(
        description="Latest messages of the conversation, in chronological order."
    )


async def search_conversations(at_work: AtWork, wanted: ConversationsWanted) -> ConversationPage:
    """Return the conversations that match. Only one search per client runs at a time, and few
    searches run in total, because a search reads up to a thousand conversations."""
    tenant = at_work.tenant
    async with (
        at_work.resources.message_searches.turn(tenant),
        at_work.resources.database.reading(tenant) as connection,
    ):
        found = await ConversationSearcher(connection, tenant).search(
            ConversationSearch(wanted.words, wanted.customer),
            before=wanted.cursor,
            limit=wanted.limit + 1,
        )
    page = page_of(found.conversations, wanted.limit, lambda last: last.id, _page)
    if page.next_cursor is not None or found.until is None:
        return page
    return page.model_copy(
        update={
            "next_cursor": found.until,
            "note": (
                "Only the latest conversations were searched. Call again with next_cursor to "
                "search earlier conversations."
            ),
        }
    )


def _page(
    shown: Sequence[ConversationSummary], _: int, cursor: str | None, note: str | None
) -> ConversationPage:
    return ConversationPage(
        conversations=tuple(_shown(one, _PREVIEW) for one in shown), next_cursor=cursor, note=note
    )


def _shown(one: ConversationSummary, length: int) -> McpConversation:
    return McpConversation(
        conversation_id=one.id,
        channel=one.channel,
        customer=untrusted(one.customer_email, length),
        latest_message=untrusted(one.latest, length),
        sentiment=one.sentiment,
        answered_by_people=one.handed_over_at is not None,
        created_at=one.created_at,
        last_message_at=one.last_message_at,
        ended_at=one.ended_at,
    )


async def get_conversation(at_work: AtWork, wanted: ConversationWanted) -> WholeConversation:
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        reader = ConversationReader(connection, at_work.tenant)
        conversation = await reader.read(wanted.conversation_id)
        messages = await reader.messages(
            wanted.conversation_id, before=wanted.cursor, limit=wanted.limit + 1
        )

    def page(
        shown: Sequence[Message], length: int, cursor: str | None, note: str | None
    ) -> WholeConversation:
        return WholeConversation(
            conversation=_shown(conversation, _PREVIEW),
            messages=tuple(
                McpMessage(
                    message_id=one.id,
                    author=one.author,
                    text=untrusted(one.body, length),
                    created_at=one.created_at,
                    run_id=one.run_id,
                    attachments=shown_attachments(one.attachments),
                )
                for one in reversed(shown)
            ),
            next_cursor=cursor,
            note=note,
        )

    return page_of(messages, wanted.limit, lambda last: last.id, page)


TOOLS: Final[tuple[McpTool, ...]] = (
    tool(
        "search_conversations",
        "Search conversations",
        "Search customer conversations by words or by the customer's address, newest first.",
        scopes=(Scope.CONVERSATIONS_READ,),
        takes=ConversationsWanted,
        gives=ConversationPage,
        does=search_conversations,
    ),
    tool(
        "get_conversation",
        "Read a conversation",
        "Get the messages of a conversation. The first page contains the latest messages.",
        scopes=(Scope.CONVERSATIONS_READ,),
        takes=ConversationWanted,
        gives=WholeConversation,
        does=get_conversation,
    ),
)
