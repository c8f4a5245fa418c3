"""/app/copilot: a chat in which members ask questions about their own service. Every other page can
open the chat next to its content."""

import json
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import JsonValue, ValidationError
from starlette.responses import Response

from api.auth import limiter_key
from api.dashboard.page import AnyonesPage, Page
from api.dashboard.post import Post, Posted
from api.schemas.copilot.copilot_chat import CopilotChatBody
from domain.copilot.answer import CitedRecord, CopilotAnswer
from domain.copilot.question import MAX_MESSAGE, MAX_MESSAGES, Speaker
from domain.core.errors import InvalidBody
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import ANYONE

_COPILOT: Final = "/app/copilot"
# Drafts do not store fields whose names start with "_".
_EARLIER: Final = "_earlier"
# Maximum number of earlier messages. It leaves room for two more messages: the last question and
# its answer.
_KEPT: Final = MAX_MESSAGES - 2

router = APIRouter(include_in_schema=False)


@router.get(_COPILOT)
async def copilot(page: AnyonesPage) -> Response:
    """Show the copilot's page. If a question was rejected, the page shows the question again, after
    the previous conversation."""
    typed = await page.typed(_COPILOT, {"question": "", _EARLIER: "[]"})
    return _shown(page, _kept(typed[_EARLIER]), None, typed["question"])


@router.post(_COPILOT)
async def ask(post: Annotated[Post, Depends(Posted(ANYONE))]) -> Response:
    """Answer a question. The form contains the conversation, because the server does not store it.
    Raises TooManyRequests."""
    page = post.page
    await page.resources.limiter.check(LimitScope.COPILOT, limiter_key(page.visit.user), page.now)
    earlier = _earlier(post.fields.get(_EARLIER, "[]"))
    asked: JsonValue = {"role": Speaker.USER.value, "content": post.text("question")}
    body = post.body(CopilotChatBody, messages=[*earlier, asked])
    answer = await page.resources.copilot.answer(page.tenant, page.actor, body.question, _nobody)
    await post.forget()
    said: JsonValue = {
        "role": Speaker.ASSISTANT.value,
        "content": answer.text[:MAX_MESSAGE] or "–",
    }
    return _shown(page, [*earlier, asked, said], answer)


def _earlier(text: str) -> list[JsonValue]:
    """Return the conversation before the question, truncated to its last messages. Raises
    InvalidBody if the conversation is invalid."""
    try:
        messages = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidBody("champ « _earlier »") from None
    if not isinstance(messages, list):
        raise InvalidBody("champ « _earlier »")
    return messages[-_KEPT:]


def _kept(text: str) -> list[JsonValue]:
    """Return the conversation that preceded a rejected question, or an empty conversation if it is
    invalid."""
    try:
        messages = _earlier(text)
        CopilotChatBody.model_validate(
            {"messages": [*messages, {"role": Speaker.USER.value, "content": "?"}]}
        )
    except (InvalidBody, ValidationError):
        return []
    return messages


def _shown(
    page: Page, messages: list[JsonValue], answer: CopilotAnswer | None, question: str = ""
) -> Response:
    """Return the copilot's page. `messages`: the conversation. `answer`: the last message, with its
    citations."""
    return page.render(
        "copilot/copilot.html",
        messages=messages[:-1] if answer else messages,
        answer=answer,
        question=question,
        links=_links(page, answer),
        earlier=json.dumps(messages, ensure_ascii=False),
        max_question=MAX_MESSAGE,
    )


def _links(page: Page, answer: CopilotAnswer | None) -> list[tuple[CitedRecord, str]]:
    """Return the answer's citations, each with a link if it cites a record. Links point to the
    current host, even if DASHBOARD_URL names another host. Citations of documents have no link."""
    dashboard = page.resources.settings.server.dashboard
    return [
        (one, "/app" + one.url.removeprefix(dashboard) if one.url.startswith(dashboard) else "")
        for one in (answer.citations if answer else ())
    ]


async def _nobody(_: str) -> None:
    """Discard a text fragment, because the page shows the complete answer at once."""
