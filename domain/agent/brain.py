"""The brain port: the request to a brain, and the brain's answer.

The embedded brain (`adapters/brain/embedded.py`) and the LLM providers implement this port.
"""

from datetime import date
from enum import StrEnum
from typing import Final, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from domain.agent.attachment_preview import AttachmentPreview
from domain.agent.caller_fields import answer_fields, links_are_merchants, states_order_fact
from domain.agent.escalation_reason import EscalationReason
from domain.agent.frame import PLAIN_FRAME, AnswerFrame
from domain.agent.guard_finding import GuardFinding
from domain.agent.intent import Intent
from domain.agent.model_fault import ModelFault
from domain.agent.own_head import OwnHead
from domain.agent.plan import PLACEHOLDERS, ActionKind, PlannedAction
from domain.agent.procedure import Procedure
from domain.agent.template import FRAME_NAMES
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Order
from domain.tenants.answer_decision import LATEST_DECISION
from domain.tenants.guidance import Guidance


class Category(StrEnum):
    """The category of a message: one of the specification's six categories."""

    ORDER_STATUS = "order_status"
    REFUND_REQUEST = "refund_request"
    PRODUCT_QUESTION = "product_question"
    SHIPPING_ISSUE = "shipping_issue"
    COMPLAINT = "complaint"
    OTHER = "other"


Language = Literal["fr", "en"]

SETTLED_BY: Final = "rules"
"""The model of an answer that rules gave instead of a brain."""


class Template(BaseModel):
    """An answer written by the merchant, possibly with placeholders in `body`.

    - `intent`: the intent that the template answers. Without one, a human reviews the answer.
    - `not_for`: words that exclude a message from the template.
    - `is_starter`: an unedited starter template. The client's own texts take precedence.
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
    """A sentence of a passage. `chunk` is the index of its chunk in the knowledge entry.
    `similarity` is the cosine similarity to the message, or None if the entry has no embedding."""

    model_config = ConfigDict(frozen=True)

    heading: str
    text: str
    chunk: int
    similarity: float | None = None


class CorrectedAnswer(BaseModel):
    """An earlier question and the human agent's answer, without personal data. It shows the shop's
    voice, and is never a source."""

    model_config = ConfigDict(frozen=True)

    question: str
    answer: str


class Passage(BaseModel):
    """A knowledge entry found for the message.

    - `rank`: the search rank, higher for more relevant. Comparable only within one search.
    - `similarity`: the cosine similarity between the message and the nearest chunk, or None without
      an embedding.
    - `sentences`: the entry's sentences in order, or empty if the entry is not split yet.
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
    """An earlier message in the same conversation. Turns are listed oldest first."""

    model_config = ConfigDict(frozen=True)

    author: Literal["customer", "agent", "human"]
    body: str


class BrainRequest(BaseModel):
    """The input of a brain for one message. A brain reads nothing else and stores nothing.

    - `fields`: the caller's values for placeholders, limited to those that an answer may repeat
      (`domain/agent/caller_fields.py`).
    - `trusts_links`: whether the links in `fields` count as the merchant's own statements.
    - `order`: the looked-up order, which belongs to this customer.
    - `other_orders`: further orders of this customer that a language model has looked up. Their
      notes are omitted. No action is available on them.
    - `offers`: the available actions, with all values resolved by code. A brain chooses from these
      actions and cannot add others.
    - `summary`: the outcomes of the customer's earlier messages.
    - `instructions`: the merchant's instructions to a language model.
    - `guidance`: the merchant's style guidance to a language model.
    - `procedure`: the playbook's procedure for a language model.
    - `today`: the current date in UTC because a brain has no clock.
    - `frame`: the client's greeting and sign-off for this customer, used in answers that are not
      templates.
    - `sender_name`: the name that the sender gave, used to separate a signature from the message.
      Answers do not repeat it.
    - `languages`: the languages of the thread and of the client's texts. The message is probably in
      one of them.
    - `own_head`: the client's own classifier head for the embedded brain. Other brains ignore it.
    - `answer_decision`: the version of the decision whether an answer from knowledge is sent
      without review. Other brains ignore it.
    - `knowledge`: all knowledge entries, sorted by id, for a language model. The embedded brain
      ignores it. If it is empty, a language model gets `passages` alone.
    - `is_claim`: whether the author is not verified to hold the customer's address. In that case,
      their words support neither addresses nor long numbers in an answer, because the answer may go
      to another person.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    subject: str | None = None
    brand_name: str
    fields: dict[str, str] = {}
    trusts_links: bool = False
    templates: tuple[Template, ...] = ()
    passages: tuple[Passage, ...] = ()
    turns: tuple[Turn, ...] = ()
    summary: str = ""
    instructions: str = ""
    guidance: Guidance = Guidance()
    procedure: Procedure = Procedure()
    order: Order | None = None
    other_orders: tuple[Order, ...] = ()
    offers: tuple[PlannedAction, ...] = ()
    today: date | None = None
    attachments: tuple[AttachmentPreview, ...] = ()
    frame: AnswerFrame = PLAIN_FRAME
    sender_name: str = ""
    languages: tuple[str, ...] = ()
    own_head: OwnHead | None = None
    answer_decision: int = LATEST_DECISION
    knowledge: tuple[Passage, ...] = ()
    examples: tuple[CorrectedAnswer, ...] = ()
    is_claim: bool = False

    @field_validator("fields")
    @classmethod
    def _without_promises(cls, fields: dict[str, str]) -> dict[str, str]:
        """Return the fields except those with the names of built-in placeholders, so that a caller
        cannot override a commitment, the greeting or the sign-off."""
        ours = PLACEHOLDERS | FRAME_NAMES
        return {name: value for name, value in fields.items() if name not in ours}

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders that an answer may cite."""
        return (*((self.order,) if self.order else ()), *self.other_orders)

    @model_validator(mode="after")
    def _without_order_facts(self) -> Self:
        """Remove the caller's facts about an order if the order was looked up in the shop. A
        placeholder for a fact that the shop does not state then has no value."""
        if self.order is None or not any(map(states_order_fact, self.fields)):
            return self
        kept = {name: text for name, text in self.fields.items() if not states_order_fact(name)}
        return self.model_copy(update={"fields": kept})

    def has_answered(self, text: str) -> bool:
        """Return True if the agent has already sent this answer in the conversation, ignoring
        whitespace."""
        said = (" ".join(turn.body.split()) for turn in self.turns if turn.author == "agent")
        return " ".join(text.split()) in said

    @classmethod
    def about(
        cls,
        event: UnifiedEvent,
        *,
        brand_name: str,
        has_shop: bool,
        templates: tuple[Template, ...],
        passages: tuple[Passage, ...],
        turns: tuple[Turn, ...] = (),
        summary: str = "",
        instructions: str = "",
        guidance: Guidance | None = None,
        procedure: Procedure | None = None,
        order: Order | None = None,
        offers: tuple[PlannedAction, ...] = (),
        today: date | None = None,
        attachments: tuple[AttachmentPreview, ...] = (),
        frame: AnswerFrame = PLAIN_FRAME,
        languages: tuple[str, ...] = (),
        own_head: OwnHead | None = None,
        answer_decision: int = LATEST_DECISION,
        knowledge: tuple[Passage, ...] = (),
        examples: tuple[CorrectedAnswer, ...] = (),
    ) -> Self:
        """Return the brain request for an event, with the client's related content and the summary
        of earlier messages. With a connected shop, order facts come only from the shop."""
        return cls(
            text=event.text,
            subject=event.subject,
            brand_name=brand_name,
            fields=answer_fields(event, has_shop=has_shop),
            trusts_links=links_are_merchants(event, has_shop=has_shop),
            templates=templates,
            passages=passages,
            turns=turns,
            summary=summary,
            instructions=instructions,
            guidance=guidance or Guidance(),
            procedure=procedure or Procedure(),
            order=order,
            offers=offers,
            today=today,
            attachments=attachments,
            frame=frame,
            sender_name=event.customer_name or "",
            languages=languages,
            own_head=own_head,
            answer_decision=answer_decision,
            knowledge=knowledge,
            examples=examples,
            is_claim=event.is_claim or not event.may_be_named,
        )


class Alternative(BaseModel):
    model_config = ConfigDict(frozen=True)

    category: Category
    confidence: float = Field(ge=0, le=1)


class Citation(BaseModel):
    """A source that supports an answer."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["template", "knowledge", "order"]
    id: str
    title: str


class Verdict(StrEnum):
    """A judge's verdict on a part of an answer.

    - `supported`: the quotes state everything that the part states.
    - `courtesy`: the part states nothing that needs a source, such as a greeting or a question.
    - `unsupported`: the part states something that the quotes do not state, or that the plan does
      not contain.
    - `contradicted`: the quotes, or the rest of the source, state the opposite.
    """

    SUPPORTED = "supported"
    COURTESY = "courtesy"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


class Support(BaseModel):
    """The words of a source that support a part of an answer. The source contains them verbatim."""

    model_config = ConfigDict(frozen=True)

    citation: Citation
    quote: str


class AnswerPart(BaseModel):
    """One or two sentences of an answer, with their support.

    - `is_misquoted`: a named source does not contain the quoted words.
    - `calculation`: the calculation of a number or date in the text, such as "2 * 12 = 24".
    - `verdict`: the verdict of a judge, or None without one.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    supports: tuple[Support, ...] = ()
    is_misquoted: bool = False
    calculation: str = ""
    verdict: Verdict | None = None


class Proposal(BaseModel):
    """An action proposed by a brain. `domain/agent/policy.py` decides whether it is allowed.

    `text` and `tags` are set only if `ActionSpec.chosen` names them. `quote` contains the
    customer's exact words that request an action on an order.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    text: str = ""
    tags: tuple[str, ...] = ()
    quote: str = ""


class BrainAnswer(BaseModel):
    """A brain's answer to one message.

    - `confidence`: the brain's confidence, from 0 to 1, that `response` may be sent. It is low if
      no source supports an answer, even if the message's category is certain.
    - `response`: the text of the answer, or empty if the brain has none. `doubt` gives the reason
      for an empty response.
    - `parts`: the parts of `response` with their support, if a language model composed it.
    - `language`: the language of the message and the response (ISO 639-1).
    - `sentiment`: the customer's sentiment: -1 for anger or despair, 0 for neutral, 1 for joy.
    - `intents`: all intents of the message.
    - `closes`: whether the message, such as "thanks, all good", needs no answer.
    - `prompt_version`: the version of the language model's prompt, or None if the brain only sends
      the merchant's texts and composes nothing.
    - `asks_order_number`: whether the response asks the customer for an order number.
    - `seen_files`: the number of the message's attachments that the brain examined.
    - `repaired`: the guard findings of a first draft that the model has corrected.
    - `fault`: the reason why the preferred model did not answer, or None if it did. Tokens and cost
      include the failed attempts.
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
    parts: tuple[AnswerPart, ...] = ()
    citations: tuple[Citation, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    doubt: EscalationReason | None = None
    model: str
    asks_order_number: bool = False
    seen_files: int = Field(default=0, ge=0)
    repaired: tuple[GuardFinding, ...] = ()
    fault: ModelFault | None = None
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    cost_micros: int = Field(
        default=0, ge=0, description="Cost of the answer, in millionths of a US dollar."
    )


class Brain(Protocol):
    """The port for a brain. A brain drafts an answer to a message. Raises only the errors in
    `domain/agent/errors.py`."""

    async def think(self, request: BrainRequest) -> BrainAnswer: ...
