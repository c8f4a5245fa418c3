"""The output schema of a language model, and the conversion of its output to a brain's answer.

A model names sources by keys assigned for this request, and actions by kind. It cannot name an
order, a customer or an amount.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from domain.agent.brain import AnswerPart, BrainAnswer, Category, Citation, Proposal, Support
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ACTIONS, ON_ORDERS, ActionKind
from domain.agent.pseudonyms import Pseudonyms
from domain.core.plain_text import clean_line, clean_text
from domain.core.text import fold

# Maximum confidence of a model's answer. The limit is the confidence of a merchant's template
# because models are overconfident.
MOST_CONFIDENT: Final = 0.95
DOUBTFUL_CONFIDENCE: Final = 0.3
MAX_RESPONSE_CHARS: Final = 6_000
_MAX_NOTE_CHARS: Final = 2_000
_MAX_TAGS: Final = 10
_TAG_CHARS: Final = 40
_QUOTE_CHARS: Final = 500
_MAX_PARTS: Final = 40
_MAX_CALCULATION_CHARS: Final = 200
_LANGUAGE: Final = re.compile("[a-z]{2}")
# Invisible characters that stored texts may contain, such as soft hyphens and joiners.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2061-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U0001d173-\U0001d17a\U000e0080-\U000e0fff]"
)
_SENTENCE_END: Final = re.compile(r"[.!?…][\"'»”)\]]{0,3}$")
_WORD: Final = re.compile(r"[^\W_]+|[%€$£]")

Doubt = Literal[
    "none", "low_confidence", "customer_request", "missing_knowledge", "unsupported_request",
    "unsafe_input",
]  # fmt: skip


def _language(value: str) -> str:
    """Return the language's two-letter code in lower case, including for "FR" and "fr-CA"."""
    code = value.strip().lower()[:2]
    if not _LANGUAGE.fullmatch(code):
        raise ValueError("a language code of two letters expected, like fr")
    return code


Share = Annotated[
    float, Field(allow_inf_nan=False), AfterValidator(lambda value: min(max(value, 0.0), 1.0))
]
Tone = Annotated[
    float, Field(allow_inf_nan=False), AfterValidator(lambda value: min(max(value, -1.0), 1.0))
]


class ProposedAction(BaseModel):
    """One action to take. `note` is for the kind note, and `tags` for the kind tag. Both are empty
    otherwise.

    `quote`: for an action on an order, the customer's exact words that request it.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: str
    note: str = ""
    tags: list[str] = []
    quote: str = Field(
        default="",
        description="For an action on an order: the customer's exact words that request it.",
    )


def _visible(text: str) -> str:
    """Return the text without invisible characters, which could hide a link from the guards."""
    return _INVISIBLE.sub("", text)


class QuotedSource(BaseModel):
    """The key of a source, and the words of the source that support the part."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: str
    quote: str = Field(description="Words of the source, copied letter by letter.")


class ReplyPart(BaseModel):
    """One or two sentences of the reply. `text` starts with line breaks if a new line or paragraph
    starts here."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: Annotated[str, AfterValidator(_visible)]
    support: list[QuotedSource] = []
    calculation: str = Field(
        default="",
        description='Calculation of a number or date in the text, like "2 * 12.00 = 24.00".',
    )


class LlmAnswer(BaseModel):
    """Your answer to the customer's message, and your assessment of the message."""

    model_config = ConfigDict(extra="forbid")

    notes: str = Field(
        default="",
        description="What the customer wants, and which sources answer it. Brief, never shown.",
    )
    category: Category
    intents: list[Intent] = Field(
        default=[], description="All intents of the message; may be empty."
    )
    closes: bool = Field(
        default=False,
        description="True if the message only says thanks or goodbye and needs no answer.",
    )
    language: Annotated[str, AfterValidator(_language)] = Field(
        description="ISO 639-1 code of the customer's language, in which the reply is written."
    )
    sentiment: Tone = Field(description="The customer's tone: -1 angry, 0 neutral, 1 happy.")
    asks: Literal["nothing", "order_number"] = Field(
        default="nothing", description="What the reply asks the customer for."
    )
    actions: list[ProposedAction] = Field(description="Available actions to take; usually none.")
    parts: Annotated[list[ReplyPart], Field(max_length=_MAX_PARTS)] = Field(
        description="The reply to the customer, in plain text without markup, in order."
    )
    doubt: Doubt = Field(
        description="Reason why a human should review the reply first; none if not needed."
    )
    confidence: Share = Field(description="Confidence that the reply may be sent, from 0 to 1.")

    @property
    def response(self) -> str:
        """The whole reply. A space separates two parts without a line break between them, or a line
        break if the first part does not end with a sentence."""
        reply = ""
        for part in self.parts:
            if reply and not (reply[-1].isspace() or part.text[:1].isspace()):
                reply += " " if _SENTENCE_END.search(reply) else "\n"
            reply += part.text
        return reply

    @model_validator(mode="after")
    def _says_something(self) -> "LlmAnswer":
        response = self.response
        if not response.strip() and self.doubt == "none":
            raise ValueError("parts: a reply is needed, or a doubt that says why there is none")
        if len(response) > MAX_RESPONSE_CHARS:
            raise ValueError(f"parts: {MAX_RESPONSE_CHARS} characters at most")
        return self


@dataclass(frozen=True, slots=True)
class CitableSource:
    """A source that a model may cite, with the text that the model sees."""

    citation: Citation
    text: str


def brain_answer(
    said: LlmAnswer,
    *,
    sources: Mapping[str, CitableSource],
    offered: frozenset[ActionKind],
    in_right_language: bool,
    model: str,
    prompt_version: str,
    seen_files: int = 0,
) -> BrainAnswer:
    """Return a model's output as the brain's answer, without unknown sources and unavailable
    actions. A dropped action requires a review because the response may promise it."""
    proposals = tuple(_proposals(said, offered))
    doubt = None if said.doubt == "none" else EscalationReason(said.doubt)
    if doubt is None and len(proposals) < len(said.actions):
        doubt = EscalationReason.UNSUPPORTED_REQUEST
    response = clean_text(said.response)
    # A mark may stand for a longer text. The guards read only the beginning of a long answer.
    if doubt is None and (not in_right_language or len(response) > MAX_RESPONSE_CHARS):
        doubt = EscalationReason.LOW_CONFIDENCE
    confidence = min(said.confidence, MOST_CONFIDENT if doubt is None else DOUBTFUL_CONFIDENCE)
    # A customer who asks for a human agent receives no reply from the AI agent.
    wants_human = doubt is EscalationReason.CUSTOMER_REQUEST
    parts = () if wants_human else tuple(_part(one, sources) for one in said.parts)
    return BrainAnswer(
        classification=said.category,
        intents=tuple(dict.fromkeys(said.intents)),
        closes=said.closes,
        prompt_version=prompt_version,
        confidence=0.0 if doubt is EscalationReason.UNSAFE_INPUT else round(confidence, 4),
        language=said.language,
        sentiment=round(said.sentiment, 4),
        response="" if wants_human else response,
        parts=parts,
        citations=tuple(dict.fromkeys(one.citation for part in parts for one in part.supports)),
        proposals=proposals,
        doubt=doubt,
        model=model,
        asks_order_number=said.asks == "order_number" and not wants_human,
        seen_files=seen_files,
    )


def quotes(quote: str, text: str) -> bool:
    """Return True if a text contains the quoted words in this order. Case, accents, spaces and
    punctuation are ignored."""
    words = _words(quote)
    return bool(words.strip()) and words in _words(text)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(fold(text)))} "


def _part(part: ReplyPart, sources: Mapping[str, CitableSource]) -> AnswerPart:
    """Return a part with the quotes that its sources contain."""
    known = [
        Support(citation=sources[one.source].citation, quote=one.quote)
        for one in part.support
        if one.source in sources and quotes(one.quote, sources[one.source].text)
    ]
    return AnswerPart(
        text=clean_text(part.text),
        supports=tuple(known),
        is_misquoted=len(known) < len(part.support),
        calculation=part.calculation[:_MAX_CALCULATION_CHARS],
    )


def restored(said: LlmAnswer, pseudonyms: Pseudonyms) -> LlmAnswer:
    """Return a model's output with the original values in place of the request's marks. If the
    reply has a mark that the request did not use, a human agent reviews it."""
    restore = pseudonyms.restore
    actions = [
        one.model_copy(
            update={
                "note": restore(one.note),
                "tags": [restore(tag) for tag in one.tags],
                "quote": restore(one.quote),
            }
        )
        for one in said.actions
    ]
    parts = [
        one.model_copy(
            update={
                "text": restore(one.text),
                "support": [
                    quoted.model_copy(update={"quote": restore(quoted.quote)})
                    for quoted in one.support
                ],
            }
        )
        for one in said.parts
    ]
    has_unknown = said.doubt == "none" and pseudonyms.has_unknown(said.response)
    return said.model_copy(
        update={
            "parts": parts,
            "actions": actions,
            **({"doubt": "low_confidence"} if has_unknown else {}),
        }
    )


def reworded(answer: BrainAnswer, again: BrainAnswer) -> BrainAnswer:
    """Return the answer with the text, the sources and the doubt of its second version.

    A repair never adds an action and never raises the confidence.
    """
    return answer.model_copy(
        update={
            "response": again.response,
            "parts": again.parts,
            "citations": again.citations,
            "doubt": again.doubt,
            "language": again.language,
            "asks_order_number": again.asks_order_number,
            "confidence": min(answer.confidence, again.confidence),
        }
    )


def _proposals(said: LlmAnswer, offered: frozenset[ActionKind]) -> list[Proposal]:
    """Return the proposed actions, at most one for each available kind."""
    found: dict[ActionKind, Proposal] = {}
    for action in said.actions:
        kind = next((kind for kind in offered if kind == action.kind), None)
        if kind is None or kind in found:
            continue
        chosen = ACTIONS[kind].chosen
        tags = (clean_line(tag, _TAG_CHARS) for tag in action.tags[:_MAX_TAGS])
        found[kind] = Proposal(
            kind=kind,
            text=clean_text(action.note, _MAX_NOTE_CHARS) if chosen == "text" else "",
            tags=tuple(tag for tag in tags if tag) if chosen == "tags" else (),
            # The quote is only trimmed and truncated. The policy checks whether the message
            # contains the quote.
            quote=action.quote.strip()[:_QUOTE_CHARS] if kind in ON_ORDERS else "",
        )
    return list(found.values())
