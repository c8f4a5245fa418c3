"""/app/copilot: a chat for members' questions about their service. Every other page can open the
chat next to its content."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import JsonValue, ValidationError
from starlette.responses import Response

from api.auth import limiter_key
from api.copilot_events import EVENTS, copilot_events, event_of
from api.dashboard.markdown import rendered
from api.dashboard.page import AnyonesPage, Page
from api.dashboard.post import Post, Posted
from api.dashboard.typography import typeset
from api.http.event_stream import EventStream
from api.http.json_body import MAX_BYTES
from api.schemas.copilot.copilot_chat import CopilotChatBody
from domain.copilot.answer import CopilotAnswer
from domain.copilot.how_to import all_how_to
from domain.copilot.ports import Say
from domain.copilot.question import (
    MAX_MESSAGE,
    MAX_MESSAGES,
    AskerContext,
    CopilotQuestion,
    Speaker,
)
from domain.copilot.words import Tongue
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import ANYONE

_COPILOT: Final = "/app/copilot"
# Drafts do not store fields whose names start with "_".
_EARLIER: Final = "_earlier"
# Maximum number of earlier messages. It leaves room for two more messages: the last question and
# its answer.
_KEPT: Final = MAX_MESSAGES - 2

# Maximum number of characters formatted as Markdown, which takes up to 0.1 ms per character.
_FORMATTED: Final = 8_000
_AT: Final = "_at"

router = APIRouter(include_in_schema=False)
# The conversation is JSON, so its length is limited by the size of the form only.
CopilotPost = Annotated[Post, Depends(Posted(ANYONE, long_fields={_EARLIER: MAX_BYTES}))]


@dataclass(frozen=True, slots=True)
class _Talk:
    """The conversation shown on the page. `at`: the id of the record on the page that opened the
    copilot."""

    messages: list[JsonValue]
    at: str | None


@router.get(_COPILOT)
async def copilot(page: AnyonesPage) -> Response:
    """Show the copilot's page. If a question was rejected, the page shows the question again, after
    the previous conversation. `at` in the query is the id of the record on the page that opened the
    copilot."""
    typed = await page.typed(_COPILOT, {"question": "", _EARLIER: "[]"})
    at = parse_ulid(page.request.query_params.get("at", ""))
    return await _shown(page, _Talk(_kept(typed[_EARLIER]), at), None, typed["question"])


@router.post(_COPILOT)
async def ask(post: CopilotPost) -> Response:
    """Answer a question. The form contains the conversation because the server does not store it.
    With `Accept: text/event-stream`, the answer is a stream that ends with the page. Raises
    TooManyRequests."""
    page = post.page
    await page.resources.limiter.check(LimitScope.COPILOT, limiter_key(page.visit.user), page.now)
    earlier = _earlier(post.fields.get(_EARLIER, "[]"))
    asked: JsonValue = {"role": Speaker.USER.value, "content": post.text("question")}
    body = post.body(CopilotChatBody, messages=[*earlier, asked])
    talk = _Talk([*earlier, asked], parse_ulid(post.fields.get(_AT, "")))
    question = replace(body.question, asker=_asker(page, talk.at))
    if EVENTS in page.request.headers.get("accept", "").lower():
        stream = EventStream(_streamed(post, question, talk))
        stream.raw_headers.append((b"cache-control", b"private, no-store"))
        return stream
    answer = await page.resources.copilot.answer(page.tenant, page.actor, question, _nobody)
    await post.forget()
    return await _shown(page, talk, answer)


async def _streamed(post: Post, question: CopilotQuestion, talk: _Talk) -> AsyncGenerator[bytes]:
    """Yield the answer's events, then a `page` event with the page's HTML."""
    page = post.page
    answers: list[CopilotAnswer] = []

    async def ask(say: Say) -> CopilotAnswer:
        answer = await page.resources.copilot.answer(page.tenant, page.actor, question, say)
        answers.append(answer)
        return answer

    async with aclosing(copilot_events(ask, page.request, page.request.state.request_id)) as events:
        async for event in events:
            yield event
    for answer in answers:
        await post.forget()
        shown = await _shown(page, talk, answer)
        yield event_of("page", {"html": bytes(shown.body).decode()})


def _asker(page: Page, at: str | None) -> AskerContext:
    language: Tongue = "en" if page.language == "en" else "fr"
    return AskerContext(language, page.formats.zone, at)


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
    """Parse the conversation that preceded a rejected question from the form's `text`. Return an
    empty list if the text is invalid."""
    try:
        messages = _earlier(text)
        CopilotChatBody.model_validate(
            {"messages": [*messages, {"role": Speaker.USER.value, "content": "?"}]}
        )
    except (InvalidBody, ValidationError):
        return []
    return messages


async def _shown(
    page: Page, talk: _Talk, answer: CopilotAnswer | None, question: str = ""
) -> Response:
    """Return the copilot's page. `answer`: the answer to the last message, with its citations."""
    messages = [*talk.messages]
    if answer is not None:
        text = answer.text[:MAX_MESSAGE] or "–"
        messages.append({"role": Speaker.ASSISTANT.value, "content": text})
    # The answer comes first, so that it is formatted before the limit is reached.
    texts = [] if answer is None else [answer.text]
    texts += [str(one["content"]) for one in talk.messages if isinstance(one, dict)]
    # Formatting takes up to two tenths of a second, which would delay other requests.
    formatted = await asyncio.to_thread(_formatted, page, texts)
    return page.render(
        "copilot/copilot.html",
        messages=talk.messages,
        answer_text="" if answer is None else formatted[answer.text],
        answer=answer,
        question=question,
        markdown=lambda text: formatted.get(text, text),
        links=[(one, _path_of(page, one.url)) for one in (answer.citations if answer else ())],
        earlier=json.dumps(messages, ensure_ascii=False),
        at=talk.at or "",
        max_question=MAX_MESSAGE,
        guides=[] if talk.messages else _guides(page),
    )


def _guides(page: Page) -> list[tuple[str, str]]:
    """Return the titles and texts of the instructions for members."""
    guides = all_how_to("fr" if page.language == "fr" else "en")
    return [(typeset(one.title, page.language), typeset(one.text, page.language)) for one in guides]


def _formatted(page: Page, texts: Sequence[str]) -> dict[str, str]:
    """Return the formatted messages, by text. The form contains the earlier messages, so they are
    untrusted. Messages beyond the limit are shown as plain text."""
    left = _FORMATTED
    formatted: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        if len(text) <= left:
            left -= len(text)
            formatted[text] = rendered(text, lambda url: _path_of(page, url))
        else:
            formatted[text] = text
    return formatted


def _path_of(page: Page, url: str) -> str | None:
    """Return the path of a dashboard URL, or None if the URL is not a dashboard URL. Links point
    to the current host, even if DASHBOARD_URL specifies another host."""
    dashboard = page.resources.settings.server.dashboard
    return "/app" + url.removeprefix(dashboard) if url.startswith(f"{dashboard}/") else None


async def _nobody(_: str) -> None:
    """Discard a text fragment because the page shows only the complete answer."""
