"""The brain's port: what it is asked and what it must answer, whoever thinks.

The embedded brain (`adapters/brain/embedded.py`) is one implementation; LLM providers are others.
"""

from datetime import date
from enum import StrEnum
from typing import Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator

from domain.agent.escalation_reason import EscalationReason
from domain.agent.frame import PLAIN_FRAME, AnswerFrame
from domain.agent.greeting import greetable_fields
from domain.agent.intent import Intent
from domain.agent.own_head import OwnHead
from domain.agent.plan import PLACEHOLDERS, ActionKind, PlannedAction
from domain.agent.shown_file import ShownFile
from domain.agent.template import FRAME_NAMES
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Order


class Category(StrEnum):
    """The six classes of the specification."""

    ORDER_STATUS = "order_status"
    REFUND_REQUEST = "refund_request"
    PRODUCT_QUESTION = "product_question"
    SHIPPING_ISSUE = "shipping_issue"
    COMPLAINT = "complaint"
    OTHER = "other"


Language = Literal["fr", "en"]


class Template(BaseModel):
    """A merchant's own answer; `body` may hold placeholders.

    `intent`: what a customer must want for it to be sent; without one a human looks first.
    `not_for`: words of the cases that it must not answer. `is_starter`: the client started with it
    and has not edited it, so that anything of the client's own is preferred.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    category: Category
    language: Language
    body: str
    intent: Intent | None = None
    not_for: tuple[str, ...] = ()
    is_starter: bool = False


class PassageSentence(BaseModel):
    """One sentence of a passage. `chunk`: the index of its chunk in the entry. `similarity`: the
    cosine with the message, None where the entry has no embedding."""

    model_config = ConfigDict(frozen=True)

    heading: str
    text: str
    chunk: int
    similarity: float | None = None


class Passage(BaseModel):
    """A knowledge entry found for the message. `rank`: higher is nearer, within one search.

    `similarity`: the cosine of its nearest chunk with the message, None where the entry has no
    embedding. `sentences`: in the order of the body; empty where nothing has cut it yet.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    body: str
    language: Language
    rank: float
    similarity: float | None = None
    sentences: tuple[PassageSentence, ...] = ()


class Turn(BaseModel):
    """One earlier message of the same conversation, oldest first."""

    model_config = ConfigDict(frozen=True)

    author: Literal["customer", "agent", "human"]
    body: str


class BrainRequest(BaseModel):
    """All a brain may know of a message. It reads nothing else and keeps nothing.

    `order` was looked up and belongs to this customer. `offers` are the actions that code found
    possible here, everything about them resolved: a brain chooses from them and adds nothing.
    `summary` says what came of the customer's earlier messages. `instructions` are the merchant's.
    `today` is the date in UTC, for a brain that has no clock. `frame`: how the client greets this
    customer and signs, for answers that are not templates. `sender_name`: as the sender gave it,
    to tell a signature from the message; nothing repeats it. `languages`: those of the thread and
    of the client's texts, in which the message is likely to be. `own_head`: what the client's
    decided tickets teach the embedded classifier; other brains ignore it.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    subject: str | None = None
    brand_name: str
    fields: dict[str, str] = {}
    templates: tuple[Template, ...] = ()
    passages: tuple[Passage, ...] = ()
    turns: tuple[Turn, ...] = ()
    summary: str = ""
    instructions: str = ""
    order: Order | None = None
    offers: tuple[PlannedAction, ...] = ()
    today: date | None = None
    attachments: tuple[ShownFile, ...] = ()
    frame: AnswerFrame = PLAIN_FRAME
    sender_name: str = ""
    languages: tuple[str, ...] = ()
    own_head: OwnHead | None = None

    @field_validator("fields")
    @classmethod
    def _without_promises(cls, fields: dict[str, str]) -> dict[str, str]:
        """What a caller sends makes no promise of ours, and greets or signs nothing."""
        ours = PLACEHOLDERS | FRAME_NAMES
        return {name: value for name, value in fields.items() if name not in ours}

    def has_answered(self, text: str) -> bool:
        """Return whether the agent has sent exactly this answer in the conversation before."""
        said = (" ".join(turn.body.split()) for turn in self.turns if turn.author == "agent")
        return " ".join(text.split()) in said

    @classmethod
    def about(
        cls,
        event: UnifiedEvent,
        *,
        brand_name: str,
        templates: tuple[Template, ...],
        passages: tuple[Passage, ...],
        turns: tuple[Turn, ...] = (),
        summary: str = "",
        instructions: str = "",
        order: Order | None = None,
        offers: tuple[PlannedAction, ...] = (),
        today: date | None = None,
        attachments: tuple[ShownFile, ...] = (),
        frame: AnswerFrame = PLAIN_FRAME,
        languages: tuple[str, ...] = (),
        own_head: OwnHead | None = None,
    ) -> Self:
        """The request for an event, with what the client's content and memory hold on it."""
        return cls(
            text=event.text,
            subject=event.subject,
            brand_name=brand_name,
            fields=greetable_fields(event),
            templates=templates,
            passages=passages,
            turns=turns,
            summary=summary,
            instructions=instructions,
            order=order,
            offers=offers,
            today=today,
            attachments=attachments,
            frame=frame,
            sender_name=event.customer_name or "",
            languages=languages,
            own_head=own_head,
        )


class Alternative(BaseModel):
    model_config = ConfigDict(frozen=True)

    category: Category
    confidence: float = Field(ge=0, le=1)


class Citation(BaseModel):
    """What an answer rests on."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["template", "knowledge", "order"]
    id: str
    title: str


class Proposal(BaseModel):
    """An action a brain proposes: one of the offers by its kind, or staff's note or tags.

    `text` and `tags`: where `ActionSpec.chosen` names them. `quote`: the customer's exact words
    that ask for an action on an order. `domain/agent/policy.py` decides whether it is done.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    text: str = ""
    tags: tuple[str, ...] = ()
    quote: str = ""


class BrainAnswer(BaseModel):
    """What the brain makes of a message.

    `confidence` (0 to 1) is how sure the brain is that `response` may be sent: a sure class with
    nothing to answer from is a low confidence. `response` is empty when there is no answer;
    `doubt` then says why. `language` is that of the message and of the response (ISO 639-1).
    `sentiment` is the customer's: -1 for anger and despair, 0 for a matter of fact, 1 for joy.
    `intents`: all that the message wants. `closes`: it wants no answer, such as "thanks, all good".
    `prompt_version`: of the prompt that a language model was asked with; None where the brain
    composes nothing and only sends what the merchant wrote. `seen_files`: how many of the message's
    files the brain looked at.
    """

    model_config = ConfigDict(frozen=True)

    classification: Category
    intents: tuple[Intent, ...] = ()
    closes: bool = False
    prompt_version: str | None = None
    confidence: float = Field(ge=0, le=1)
    alternatives: tuple[Alternative, ...] = ()
    language: str
    sentiment: float = Field(default=0, ge=-1, le=1)
    response: str = ""
    citations: tuple[Citation, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    doubt: EscalationReason | None = None
    model: str
    seen_files: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    cost_micros: int = Field(default=0, ge=0, description="Millionths of a US dollar.")


class Brain(Protocol):
    """Whoever thinks. Raises only the errors of `domain/agent/errors.py`."""

    async def think(self, request: BrainRequest) -> BrainAnswer: ...
