"""A brain that uses language models, with a fallback model, a deadline and known costs."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from pydantic_ai import (
    Agent,
    BinaryContent,
    CachePoint,
    ModelRetry,
    ModelSettings,
    NativeOutput,
    RunContext,
    ToolOutput,
    UserContent,
    capture_run_messages,
)
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.output import OutputSpec
from pydantic_ai.settings import CacheConfig
from pydantic_ai.usage import RunUsage, UsageLimits

from adapters.brain.classifier import Classification, Classifier
from adapters.brain.llm_answer import LlmAnswer, brain_answer, restored, reworded
from adapters.brain.llm_faults import EmptyAnswer, UnreadableAnswer
from adapters.brain.llm_judge import LlmJudge, judge_prompt, judged
from adapters.brain.llm_models import PricedModel
from adapters.brain.llm_prompt import PROMPT_VERSION, RULES, Prompt, prompt_for
from adapters.brain.llm_recorded import RecordedModel
from adapters.brain.llm_repair import repair_prompt
from adapters.brain.llm_tools import ROUNDS, ModelQuestion, model_tools
from adapters.brain.llm_tries import ModelCalls, Unanswered
from domain.agent.attachment_preview import MAX_IMAGES
from domain.agent.brain import BrainAnswer, BrainRequest, Language
from domain.agent.errors import BrainInvalid, BrainUnavailable
from domain.agent.escalation_reason import EscalationReason
from domain.agent.guard_finding import GuardFinding, repaired
from domain.agent.model_brain import DraftCheck, Lookups
from domain.agent.model_fault import UNUSABLE, ModelFault, main_fault
from domain.agent.plan import ActionKind
from domain.core.errors import DomainError

# Time limit for an answer, in seconds. It is below the 12 s that Temporal allows the activity,
# which also reads data before the call and writes data after it.
DEADLINE_S: Final = 10.0
_MAX_TOKENS_OUT: Final = 2_000
# Number of input tokens of a long model request, with a merchant's instructions and guidance and
# all knowledge of a small shop.
_USUAL_TOKENS_IN: Final = 16_000
# The number of tokens that a provider charges for a large photo.
_TOKENS_OF_AN_IMAGE: Final = 1_600
_LIKELY: Final = 3
# Minimum remaining time for a repair or a judge, in seconds. A model rarely answers faster.
_LEAST_REPAIR_S: Final = 1.0
# Maximum time for a judge, in seconds, so that a slow judge leaves time for a repair.
_JUDGE_S: Final = 4.0
# Minimum probability at which a language is considered certain. Short and mixed texts stay below
# this value.
_SURE_LANGUAGE: Final = 0.9
_NAMES: Final[dict[Language, str]] = {"fr": "French", "en": "English"}
_REFUSED_BY: Final = EscalationReason.UNSAFE_INPUT

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Call:
    """The state of one call of the brain. `spent` are the tokens of each model, and `judging` those
    of the judge. `end` is the time limit on the event loop's clock."""

    request: BrainRequest
    spent: Mapping[PricedModel, RunUsage]
    judging: RunUsage
    end: float

    @property
    def seconds_left(self) -> float:
        return self.end - asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A model's first answer. `messages` is the exchange that led to it. `said` is None if the
    model refused."""

    answer: BrainAnswer
    said: LlmAnswer | None
    model: PricedModel
    question: ModelQuestion
    messages: list[ModelMessage]


class LlmBrain:
    """A `Brain` that uses language models. It is not deterministic: the same request may produce a
    different answer."""

    def __init__(
        self,
        models: Sequence[PricedModel],
        classifier: Classifier,
        *,
        deadline_s: float = DEADLINE_S,
        hides_data: bool = True,
        judge: LlmJudge | None = None,
    ) -> None:
        """Create the brain. `models` are in order of preference. `deadline_s` limits all attempts
        with all models, in seconds. If `hides_data` is true, personal data is replaced with
        pseudonyms (`domain/agent/pseudonyms.py`). `judge` compares drafts with their quotes."""
        self._models = models
        self._classifier = classifier
        self._deadline_s = deadline_s
        self._hides_data = hides_data
        self._judge = judge
        self._agents = {model: self._agent(model) for model in models}
        self._calls: ModelCalls[_Draft] = ModelCalls(models)

    @property
    def reserve_micros(self) -> int:
        """The cost of a long call, in millionths of a US dollar. It includes the most expensive
        model's answer and its repair, and the judge's verdicts on both."""
        judging = 2 * self._judge.reserve_micros if self._judge else 0
        return judging + max(model.cost_micros(_usual_usage(model)) for model in self._models)

    @property
    def sees_images(self) -> bool:
        """Return True if at least one of the models accepts images."""
        return any(model.sees_images for model in self._models)

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Return a model's answer, with a `fault` if the preferred model failed. Raises
        BrainUnavailable and BrainInvalid (`domain/agent/errors.py`).

        If a model refuses, the answer is empty with a confidence of 0, and a human reviews the
        message.
        """
        return await self.think_checked(request, _accept)

    async def think_checked(
        self, request: BrainRequest, check: DraftCheck, lookups: Lookups | None = None
    ) -> BrainAnswer:
        """Return a model's answer like `think`. The model may first use `lookups`. If `check`
        rejects the answer, send the findings to the same model once. If that fails, return the
        first draft. The time limit, tokens and cost include all requests."""
        text = f"{request.subject or ''}\n{request.text}".strip()
        seen = self._classifier.classify(text, request.languages)
        known = _known_language(seen)
        questions = {
            sees: ModelQuestion(self._prompt(request, seen, sees_images=sees), seen, known, lookups)
            for sees in {model.sees_images for model in self._models}
        }
        call = _Call(
            request,
            {model: RunUsage() for model in self._models},
            RunUsage(),
            asyncio.get_running_loop().time() + self._deadline_s,
        )
        answer: BrainAnswer | None = None
        try:
            draft, faults = await self._calls.first_answer(
                lambda model: self._ask(model, call, questions[model.sees_images]),
                self._deadline_s,
            )
            answer = await self._checked(draft, call, check)
        except Unanswered as none:
            faults = none.faults
        fault = main_fault(faults)
        cost = sum(model.cost_micros(usage) for model, usage in call.spent.items())
        cost += self._judge.model.cost_micros(call.judging) if self._judge else 0
        tokens_in = sum(usage.input_tokens for usage in (*call.spent.values(), call.judging))
        tokens_out = sum(usage.output_tokens for usage in (*call.spent.values(), call.judging))
        if answer is None:
            # The error is raised outside `except`, so that a provider's message or request does not
            # become the error's context.
            fault = fault or ModelFault.OUTAGE
            failure = BrainInvalid if fault in UNUSABLE else BrainUnavailable
            raise failure(fault, tokens_in=tokens_in, tokens_out=tokens_out, cost_micros=cost)
        spending = {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost_micros": cost}
        return answer.model_copy(update={**spending, "fault": fault})

    async def _checked(self, draft: _Draft, call: _Call, check: DraftCheck) -> BrainAnswer:
        """Return the draft with the judge's verdicts, or its repaired version if that has fewer
        findings."""
        answer = await self._judged(draft.answer, draft.said, draft, call)
        try:
            before = await check(answer)
            left = call.seconds_left
            if not before or left < _LEAST_REPAIR_S:
                return answer
            async with asyncio.timeout(left):
                said = await self._repair(draft, before, call.spent[draft.model])
                again = self._answer_of(said, draft.model, call.request, draft.question)
                again = reworded(answer, await self._judged(again, said, draft, call))
            after = () if again.doubt else await check(again)
        except Exception as error:  # noqa: BLE001 - the first draft is a paid result
            # The check of the final answer reports an exceeded effort budget.
            _log.warning(
                "failed to repair draft",
                model=draft.model.name,
                error=type(error).__name__.strip("_"),
            )
            return answer
        if not again.response or len(after) >= len(before):
            return answer
        return again.model_copy(update={"repaired": repaired(before, after)})

    async def _judged(
        self, answer: BrainAnswer, said: LlmAnswer | None, draft: _Draft, call: _Call
    ) -> BrainAnswer:
        """Return an answer with the judge's verdicts on its parts. `draft` contains the actions.

        Without a judge, or if it gives no verdicts in time, the answer is unchanged. An answer that
        a human reviews anyway is not judged.
        """
        left = call.seconds_left
        if self._judge is None or said is None or draft.said is None or left < _LEAST_REPAIR_S:
            return answer
        if answer.doubt is not None or not answer.parts:
            return answer
        prompt = draft.question.prompt
        actions = [one.kind for one in draft.said.actions]
        question = judge_prompt(call.request.text, said, prompt, actions)
        found = await self._judge.verdicts(question, call.judging, min(left, _JUDGE_S))
        return answer if found is None else judged(answer, found)

    async def _repair(
        self, draft: _Draft, findings: Sequence[GuardFinding], usage: RunUsage
    ) -> LlmAnswer:
        """Return the model's second version of a draft, from exactly one request."""
        question = draft.question
        question.is_repair = True
        result = await self._agents[draft.model].run(
            repair_prompt(findings, question.prompt.pseudonyms),
            message_history=draft.messages,
            instructions=question.prompt.shop,
            deps=question,
            usage=usage,
            usage_limits=UsageLimits(request_limit=usage.requests + 1),
        )
        return result.output

    def _prompt(self, request: BrainRequest, seen: Classification, *, sees_images: bool) -> Prompt:
        likely = sorted(seen.probabilities, key=lambda one: -seen.probabilities[one])[:_LIKELY]
        return prompt_for(
            request,
            likely=likely,
            language=seen.language,
            sees_images=sees_images,
            hides_data=self._hides_data,
        )

    async def _ask(self, model: PricedModel, call: _Call, question: ModelQuestion) -> _Draft:
        with capture_run_messages() as messages:
            try:
                result = await self._agents[model].run(
                    _content(question.prompt),
                    instructions=question.prompt.shop,
                    deps=question,
                    usage=call.spent[model],
                )
            except ContentFilterError:
                # No other model is tried, because a model's refusal is final.
                return _Draft(_refused(question.seen, model.name), None, model, question, [])
            except OutputTokenLimitExceeded:
                raise
            except UnexpectedModelBehavior:
                if _is_empty(messages):
                    raise EmptyAnswer("no content") from None
                raise
            except (AgentRunError, DomainError, TimeoutError):
                raise
            except Exception as error:  # noqa: BLE001 - any response can break the library
                # For example, an empty list of choices raises IndexError.
                raise UnreadableAnswer(type(error).__name__) from None
        answer = self._answer_of(result.output, model, call.request, question)
        return _Draft(answer, result.output, model, question, result.all_messages())

    @staticmethod
    def _answer_of(
        said: LlmAnswer, model: PricedModel, request: BrainRequest, question: ModelQuestion
    ) -> BrainAnswer:
        return brain_answer(
            restored(said, question.prompt.pseudonyms),
            sources=question.prompt.sources,
            offered=frozenset[ActionKind](offer.kind for offer in request.offers),
            in_right_language=question.in_right_language,
            model=model.name,
            prompt_version=PROMPT_VERSION,
            seen_files=len(question.prompt.images),
        )

    def _agent(self, model: PricedModel) -> Agent[ModelQuestion, LlmAnswer]:
        """Return an agent that returns an LlmAnswer and may correct its answer once. It has tools
        if the model supports them."""
        native = model.model.profile.get("supports_json_schema_output", False)
        output: OutputSpec[LlmAnswer] = (
            NativeOutput(LlmAnswer, name="answer")
            if native
            else ToolOutput(LlmAnswer, name="answer")
        )
        agent = Agent(
            RecordedModel(model.model),
            output_type=output,
            instructions=RULES,
            deps_type=ModelQuestion,
            retries=1,
            toolsets=[model_tools()] if model.uses_tools else [],
            model_settings=ModelSettings(
                max_tokens=_MAX_TOKENS_OUT,
                thinking=False,
                # The provider caches the rules and the merchant's instructions. Messages are not
                # cached, because they are not repeated.
                cache=CacheConfig(messages=False),
            ),
        )
        agent.output_validator(self._in_customers_language)
        return agent

    def _in_customers_language(
        self, context: RunContext[ModelQuestion], said: LlmAnswer
    ) -> LlmAnswer:
        """Return the answer, or ask the model once to rewrite an answer that is not in the
        customer's language."""
        question = context.deps
        question.in_right_language = self._speaks(said, question.known)
        if not question.in_right_language and question.known and not context.retry:
            raise ModelRetry(f"parts: write them in {_NAMES[question.known]}, as the customer did.")
        return said

    def _speaks(self, said: LlmAnswer, known: Language | None) -> bool:
        if known is None:
            return True
        if said.language != known:
            return False
        written = _known_language(self._classifier.classify(said.response))
        return written is None or written == known


async def _accept(_answer: BrainAnswer) -> tuple[GuardFinding, ...]:
    return ()


def _usual_usage(model: PricedModel) -> RunUsage:
    """Return the tokens of a long request, of the requests after lookups, and of a repair. Each
    repeats the request and the answers before it."""
    requests = 2 + (ROUNDS if model.uses_tools else 0)
    images = MAX_IMAGES * _TOKENS_OF_AN_IMAGE if model.sees_images else 0
    question = _USUAL_TOKENS_IN + images
    return RunUsage(
        input_tokens=requests * question + _MAX_TOKENS_OUT, output_tokens=2 * _MAX_TOKENS_OUT
    )


def _is_empty(messages: Sequence[ModelMessage]) -> bool:
    """Return True if the model's last response has neither text nor a tool call."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    return bool(responses) and not any(
        isinstance(part, ToolCallPart) or (isinstance(part, TextPart) and part.content.strip())
        for part in responses[-1].parts
    )


def _content(prompt: Prompt) -> str | list[UserContent]:
    """Return the shop's knowledge with a cache point, then the prompt's data, and then the images
    in numerical order."""
    images = [
        BinaryContent(one.data, media_type=one.media_type)
        for one in prompt.images
        if one.data is not None and one.media_type is not None
    ]
    known: list[UserContent] = []
    if prompt.knowledge is not None:
        known = [prompt.knowledge, CachePoint()]
    return [*known, prompt.data, *images] if known or images else prompt.data


def _known_language(seen: Classification) -> Language | None:
    sure = seen.language_probability >= _SURE_LANGUAGE and seen.foreign is None
    return seen.language if sure else None


def _refused(seen: Classification, model: str) -> BrainAnswer:
    return BrainAnswer(
        classification=seen.category,
        confidence=0.0,
        language=seen.foreign or seen.language,
        doubt=_REFUSED_BY,
        model=model,
        prompt_version=PROMPT_VERSION,
    )
