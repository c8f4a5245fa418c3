"""The brain context: all inputs for drafting an answer to one message."""

from dataclasses import dataclass, field

from domain.agent.attachment_preview import AttachmentPreview
from domain.agent.brain import CorrectedAnswer, Passage, Template, Turn
from domain.agent.frame import AnswerFrame
from domain.agent.model_brain import BrainTools
from domain.agent.own_head import OwnHead
from domain.agent.policy_context import Connection, Spent
from domain.agent.rulebook import Rulebook
from domain.agent.size_limits import READ_CHARS
from domain.agent.thread import Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup, Order
from domain.tenants.answer_decision import LATEST_DECISION
from domain.tenants.guidance import Guidance


@dataclass(frozen=True, slots=True)
class BrainContext:
    """All inputs for drafting an answer to one message.

    - `lookup`: the result of the order lookup, or None if no order was looked up.
    - `has_shop`: whether a shop is connected. A shop that rejects the stored credentials still
      counts as connected.
    - `system_prompt`: the client's instructions to a language model, which apply to every playbook.
    - `guidance`: the client's style guidance to a language model.
    - `run_id`, `playbook` (id and version): recorded with a question to the customer.
    - `sensitive_words`: the merchant's own list of words. A message with one of them always goes to
      a human.
    - `turns_left`: the number of answers that the agent may still send before a human takes over.
    - `attachments`: the message's attachments.
    - `answers_from_knowledge`: whether the embedded brain's answers from knowledge may be sent
      without human review.
    - `answer_decision`: the client's version of the decision whether such an answer is sent.
    - `frame`: the client's greeting and sign-off, or None for the default frame.
    - `own_head`: the client's own classifier head for the embedded brain.
    - `knowledge`: all knowledge entries of the client, for a language model. Empty if the model
      gets `passages` alone.
    - `examples`: answers of human agents to similar messages, for a language model.
    - `tools`: the lookups that a language model may use, or None.
    """

    event: UnifiedEvent
    brand_name: str
    rulebook: Rulebook
    templates: tuple[Template, ...]
    passages: tuple[Passage, ...]
    turns: tuple[Turn, ...] = ()
    summary: str = ""
    lookup: Lookup | None = None
    connections: tuple[Connection, ...] = ()
    spent: Spent = field(default_factory=Spent)
    has_shop: bool = False
    system_prompt: str = ""
    guidance: Guidance = field(default_factory=Guidance)
    thread: Thread = field(default_factory=Thread)
    run_id: str = ""
    playbook: tuple[str, int] = ("", 0)
    sensitive_words: tuple[str, ...] = ()
    turns_left: int = 1
    attachments: tuple[AttachmentPreview, ...] = ()
    frame: AnswerFrame | None = None
    answers_from_knowledge: bool = True
    answer_decision: int = LATEST_DECISION
    own_head: OwnHead | None = None
    knowledge: tuple[Passage, ...] = ()
    examples: tuple[CorrectedAnswer, ...] = ()
    tools: BrainTools | None = None

    @classmethod
    def bare(
        cls, event: UnifiedEvent, rulebook: Rulebook, playbook: tuple[str, int]
    ) -> "BrainContext":
        """Return a context without the client's templates, passages and memory. They are loaded
        later."""
        return cls(
            event=event,
            brand_name="",
            rulebook=rulebook,
            templates=(),
            passages=(),
            playbook=playbook,
        )

    @property
    def instructions(self) -> str:
        """Return the merchant's instructions to a language model: the general instructions,
        followed by the playbook's instructions."""
        given = (self.system_prompt.strip(), self.rulebook.instructions.strip())
        return "\n\n".join(filter(None, given))

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the likely languages of the message: the thread's language, else the languages of
        the client's texts."""
        if self.thread.language:
            return (self.thread.language,)
        written = [one.language for one in self.templates]
        written += [one.language for one in self.passages]
        return tuple(dict.fromkeys(written))

    @property
    def is_read_whole(self) -> bool:
        """Return True if the message, and the fields sent with it, are within the agent's size
        limits."""
        event = self.event
        beside = (event.subject or "", event.customer_name or "", *event.fields.values())
        return len(event.text) <= READ_CHARS and sum(map(len, beside)) <= READ_CHARS

    @property
    def is_wordless(self) -> bool:
        """Return True if the message has attachments but no text. Such a message does not state a
        request."""
        event = self.event
        return bool(self.attachments) and event.reply_allowed and not event.text.strip()

    @property
    def is_blank(self) -> bool:
        """Return True if the event contains nothing to answer: no text, subject, attachment or
        verification code, and no `merchant_request`."""
        event = self.event
        given = (event.words.strip(), self.attachments, event.merchant_request)
        return event.reply_allowed and not (any(given) or event.is_proved_by_code)

    @property
    def order(self) -> Order | None:
        """Return the customer's own order that the lookup found, or None."""
        return self.lookup.order if self.lookup else None
