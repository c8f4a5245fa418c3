"""A `Talker` that uses language models, with rounds of tool calls, streamed text, a deadline and a
cost."""

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue
from pydantic_ai import Agent, ModelSettings, RunContext, Tool
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    AgentStreamEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.usage import RunUsage, UsageLimits

from adapters.brain.llm_models import PricedModel
from adapters.brain.llm_tries import ModelCalls, Unanswered
from domain.copilot.errors import TalkFailed
from domain.copilot.ports import Say, TalkCost, Talked
from domain.copilot.question import CopilotQuestion, Speaker
from domain.copilot.tool import OfferedTool

DEADLINE_S: Final = 60.0
MAX_ROUNDS: Final = 6
"""Maximum number of rounds of tool calls. After the last round, the model must respond with the
answer."""
_MAX_CALLS: Final = 12
_MAX_TOKENS_OUT: Final = 1_500
# Number of input tokens of a question with two rounds of tool calls. Each round repeats the
# preceding text.
_USUAL_TOKENS_IN: Final = 20_000


class LlmTalker:
    """A `Talker` that answers questions with language models, in order of preference. The next one
    is used only if the previous one returns no text."""

    def __init__(self, models: Sequence[PricedModel], *, deadline_s: float = DEADLINE_S) -> None:
        self._models = models
        self._calls: ModelCalls[str] = ModelCalls(models)
        self._deadline_s = deadline_s

    @property
    def reserve_micros(self) -> int:
        usual = RunUsage(input_tokens=_USUAL_TOKENS_IN, output_tokens=_MAX_TOKENS_OUT)
        return max(model.cost_micros(usual) for model in self._models)

    async def talk(
        self,
        question: CopilotQuestion,
        tools: Sequence[OfferedTool],
        rules: str,
        say: Say,
    ) -> Talked:
        """Answer a question, and stream the text to `say`. Raises TalkFailed if no model returns
        text. An interrupted answer is kept because the user has read it."""
        spent = {model: RunUsage() for model in self._models}
        speech = _Speech(say)

        async def ask(model: PricedModel) -> str:
            if not speech.has_started:
                await self._ask(model, question, tools, rules, speech=speech, usage=spent[model])
            return model.name

        name, is_whole = "", True
        try:
            name, _ = await self._calls.first_answer(ask, self._deadline_s)
        except Unanswered:
            is_whole = False
        cost = TalkCost(
            tokens_in=sum(usage.input_tokens for usage in spent.values()),
            tokens_out=sum(usage.output_tokens for usage in spent.values()),
            cost_micros=sum(model.cost_micros(spent[model]) for model in self._models),
        )
        if not speech.has_started:
            # The error is raised outside `except`, so that a provider's message does not become the
            # error's context.
            raise TalkFailed(cost)
        return Talked(
            text=speech.text,
            model=speech.speaker or name,
            cost=cost,
            is_whole=is_whole and not speech.broken,
        )

    async def _ask(
        self,
        model: PricedModel,
        question: CopilotQuestion,
        tools: Sequence[OfferedTool],
        rules: str,
        *,
        speech: "_Speech",
        usage: RunUsage,
    ) -> None:
        agent = Agent(
            model.model,
            instructions=rules,
            tools=[_tool(one) for one in tools],
            retries=1,
            model_settings=ModelSettings(max_tokens=_MAX_TOKENS_OUT, thinking=False),
        )
        try:
            await agent.run(
                question.text,
                message_history=_history(question),
                usage=usage,
                usage_limits=UsageLimits(request_limit=MAX_ROUNDS + 1, tool_calls_limit=_MAX_CALLS),
                event_stream_handler=speech.listener(model.name),
            )
        except AgentRunError:
            if not speech.has_started:
                raise
            speech.broken = True


class _Speech:
    """The text streamed so far, and the model that generated it."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._pieces: list[str] = []
        self.speaker = ""
        self.broken = False

    @property
    def has_started(self) -> bool:
        return bool(self._pieces)

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def listener(self, name: str) -> Callable[..., Any]:
        async def listen(_: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
            async for event in events:
                if text := _text_of(event):
                    self.speaker = name
                    # Separate the parts of an answer before and after a round of tool calls.
                    starts = isinstance(event, PartStartEvent) and self.has_started
                    piece = f"\n{text}" if starts else text
                    self._pieces.append(piece)
                    await self._say(piece)

        return listen


def _text_of(event: AgentStreamEvent) -> str:
    match event:
        case PartStartEvent(part=TextPart(content=text)):
            return text
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return text
        case _:
            return ""


def _tool(one: OfferedTool) -> Tool[None]:
    async def call(**arguments: JsonValue) -> str:
        return await one.call(arguments)

    schema: Mapping[str, Any] = one.schema
    return Tool.from_schema(call, one.name, one.description, dict(schema), sequential=True)


def _history(question: CopilotQuestion) -> list[ModelMessage]:
    """Return all messages except the last, for the model. The assistant's messages are untrusted
    because they come from the browser."""
    return [
        ModelRequest(parts=[UserPromptPart(content=one.content)])
        if one.role is Speaker.USER
        else ModelResponse(parts=[TextPart(content=one.content)])
        for one in question.messages[:-1]
    ]
