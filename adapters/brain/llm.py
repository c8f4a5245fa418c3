"""A brain that uses language models, with a fallback model, a deadline and known costs."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic_ai import (
    Agent,
    BinaryContent,
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
from pydantic_ai.usage import RunUsage

from adapters.brain.classifier import Classification, Classifier
from adapters.brain.llm_answer import LlmAnswer, brain_answer
from adapters.brain.llm_faults import EmptyAnswer, UnreadableAnswer
from adapters.brain.llm_models import PricedModel
from adapters.brain.llm_prompt import PROMPT_VERSION, RULES, Prompt, prompt_for
from adapters.brain.llm_tries import ModelCalls, Unanswered
from domain.agent.attachment_preview import MAX_IMAGES
from domain.agent.brain import BrainAnswer, BrainRequest, Language
from domain.agent.errors import BrainInvalid, BrainUnavailable
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import UNUSABLE, ModelFault, main_fault
from domain.agent.plan import ActionKind
from domain.core.errors import DomainError

# Time limit for an answer, in seconds. It is below the 12 s that Temporal allows the activity,
# which also reads data before the call and writes data after it.
DEADLINE_S: Final = 10.0
_MAX_TOKENS_OUT: Final = 2_000
# Number of input tokens of a long model request, with a merchant's instructions and five knowledge
# entries.
_USUAL_TOKENS_IN: Final = 6_000
# The number of tokens that a provider charges for a large photo.
_TOKENS_OF_AN_IMAGE: Final = 1_600
_LIKELY: Final = 3
# Minimum probability at which a language is considered certain. Short and mixed texts stay below
# this value.
_SURE_LANGUAGE: Final = 0.9
_NAMES: Final[dict[Language, str]] = {"fr": "French", "en": "English"}
_REFUSED_BY: Final = EscalationReason.UNSAFE_INPUT


@dataclass(slots=True)
class _Question:
    """The context of a model request, used to validate the model's answer. `known`: the customer's
    language if it is certain, otherwise None. `in_right_language`: the result of the last
    validation."""

    prompt: Prompt
    seen: Classification
    known: Language | None
    in_right_language: bool = True


class LlmBrain:
    """A `Brain` that uses language models. It is not deterministic: the same request may produce a
    different answer."""

    def __init__(
        self,
        models: Sequence[PricedModel],
        classifier: Classifier,
        *,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        """Create the brain. `models`: the models in order of preference. `deadline_s`: the time
        limit for all attempts with all models together, in seconds."""
        self._models = models
        self._classifier = classifier
        self._deadline_s = deadline_s
        self._agents = {model: self._agent(model) for model in models}
        self._calls: ModelCalls[BrainAnswer] = ModelCalls(models)

    @property
    def reserve_micros(self) -> int:
        """The cost of a long request to the most expensive model, in millionths of a US dollar."""
        return max(model.cost_micros(_usual_usage(model)) for model in self._models)

    @property
    def sees_images(self) -> bool:
        """Return True if at least one of the models accepts images."""
        return any(model.sees_images for model in self._models)

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Return a model's answer. Its `fault` is set if the preferred model failed. Raises
        BrainUnavailable and BrainInvalid (`domain/agent/errors.py`).

        If a model refuses to answer, the result is an empty answer with a confidence of 0. A human
        agent then reviews the message.
        """
        text = f"{request.subject or ''}\n{request.text}".strip()
        seen = self._classifier.classify(text, request.languages)
        known = _known_language(seen)
        questions = {
            sees: _Question(self._prompt(request, seen, sees_images=sees), seen, known)
            for sees in {model.sees_images for model in self._models}
        }
        spent = {model: RunUsage() for model in self._models}
        answer: BrainAnswer | None = None
        try:
            answer, faults = await self._calls.first_answer(
                lambda model: self._ask(model, request, questions[model.sees_images], spent[model]),
                self._deadline_s,
            )
        except Unanswered as none:
            faults = none.faults
        fault = main_fault(faults)
        cost = sum(model.cost_micros(spent[model]) for model in self._models)
        tokens_in = sum(usage.input_tokens for usage in spent.values())
        tokens_out = sum(usage.output_tokens for usage in spent.values())
        if answer is None:
            # The error is raised outside `except`, so that a provider's message or request does not
            # become the error's context.
            fault = fault or ModelFault.OUTAGE
            failure = BrainInvalid if fault in UNUSABLE else BrainUnavailable
            raise failure(fault, tokens_in=tokens_in, tokens_out=tokens_out, cost_micros=cost)
        spending = {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost_micros": cost}
        return answer.model_copy(update={**spending, "fault": fault})

    def _prompt(self, request: BrainRequest, seen: Classification, *, sees_images: bool) -> Prompt:
        likely = sorted(seen.probabilities, key=lambda one: -seen.probabilities[one])[:_LIKELY]
        return prompt_for(
            request,
            likely=likely,
            language=seen.language,
            boundary=secrets.token_hex(8),
            sees_images=sees_images,
        )

    async def _ask(
        self, model: PricedModel, request: BrainRequest, question: _Question, usage: RunUsage
    ) -> BrainAnswer:
        with capture_run_messages() as messages:
            try:
                result = await self._agents[model].run(
                    _content(question.prompt),
                    instructions=question.prompt.shop,
                    deps=question,
                    usage=usage,
                )
            except ContentFilterError:
                # No other model is tried, because a model's refusal is final.
                return _refused(question.seen, model.name)
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
        return brain_answer(
            result.output,
            sources=question.prompt.sources,
            offered=frozenset[ActionKind](offer.kind for offer in request.offers),
            in_right_language=question.in_right_language,
            model=model.name,
            prompt_version=PROMPT_VERSION,
            seen_files=len(question.prompt.images),
        )

    def _agent(self, model: PricedModel) -> Agent[_Question, LlmAnswer]:
        """Return an agent without tools. It returns an LlmAnswer and may correct its answer
        once."""
        native = model.model.profile.get("supports_json_schema_output", False)
        output: OutputSpec[LlmAnswer] = (
            NativeOutput(LlmAnswer, name="answer")
            if native
            else ToolOutput(LlmAnswer, name="answer")
        )
        agent = Agent(
            model.model,
            output_type=output,
            instructions=RULES,
            deps_type=_Question,
            retries=1,
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

    def _in_customers_language(self, context: RunContext[_Question], said: LlmAnswer) -> LlmAnswer:
        """Return the answer, or ask the model once to rewrite an answer that is not in the
        customer's language."""
        question = context.deps
        question.in_right_language = self._speaks(said, question.known)
        if not question.in_right_language and question.known and not context.retry:
            raise ModelRetry(
                f"response: write it in {_NAMES[question.known]}, as the customer did."
            )
        return said

    def _speaks(self, said: LlmAnswer, known: Language | None) -> bool:
        if known is None:
            return True
        if said.language != known:
            return False
        written = _known_language(self._classifier.classify(said.response))
        return written is None or written == known


def _usual_usage(model: PricedModel) -> RunUsage:
    images = MAX_IMAGES * _TOKENS_OF_AN_IMAGE if model.sees_images else 0
    return RunUsage(input_tokens=_USUAL_TOKENS_IN + images, output_tokens=_MAX_TOKENS_OUT)


def _is_empty(messages: Sequence[ModelMessage]) -> bool:
    """Return True if the model's last response has neither text nor a tool call."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    return bool(responses) and not any(
        isinstance(part, ToolCallPart) or (isinstance(part, TextPart) and part.content.strip())
        for part in responses[-1].parts
    )


def _content(prompt: Prompt) -> str | list[UserContent]:
    """Return the prompt's data, followed by the images in numerical order."""
    images = [
        BinaryContent(one.data, media_type=one.media_type)
        for one in prompt.images
        if one.data is not None and one.media_type is not None
    ]
    return [prompt.data, *images] if images else prompt.data


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
