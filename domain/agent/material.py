"""The material: all there is to think with about one message."""

from dataclasses import dataclass, field

from domain.agent.brain import Passage, Template, Turn
from domain.agent.extent import READ_CHARS
from domain.agent.frame import AnswerFrame
from domain.agent.own_head import OwnHead
from domain.agent.rulebook import Rulebook
from domain.agent.shown_file import ShownFile
from domain.agent.situation import Connection, Spent
from domain.agent.thread import Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup, Order


@dataclass(frozen=True, slots=True)
class Material:
    """All there is to think with. `lookup`: None where no order was looked up. `has_shop`: a shop
    is connected, though it may not take our credentials at the moment. `system_prompt`: what the
    client tells a language model, whichever the playbook. `run_id` and `playbook` (id and version):
    under which a question to the customer is asked. `sensitive_words`: the merchant's own.
    `turns_left`: how many answers the agent may still give before people do. `attachments`: the
    files that came with the message. `answers_from_knowledge`: whether an answer that the embedded
    brain takes from knowledge may be sent without a person. `frame`: how the client greets and
    signs; None: the default frame. `own_head`: the client's own, for the embedded brain."""

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
    thread: Thread = field(default_factory=Thread)
    run_id: str = ""
    playbook: tuple[str, int] = ("", 0)
    sensitive_words: tuple[str, ...] = ()
    turns_left: int = 1
    attachments: tuple[ShownFile, ...] = ()
    frame: AnswerFrame | None = None
    answers_from_knowledge: bool = True
    own_head: OwnHead | None = None

    @classmethod
    def bare(cls, event: UnifiedEvent, rulebook: Rulebook, playbook: tuple[str, int]) -> "Material":
        """Without what the client has to think with, which comes next."""
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
        """The merchant's to a language model: those for all messages, then the playbook's."""
        given = (self.system_prompt.strip(), self.rulebook.instructions.strip())
        return "\n\n".join(filter(None, given))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the message is likely to be in: the thread's, else the client's."""
        if self.thread.language:
            return (self.thread.language,)
        written = [one.language for one in self.templates]
        written += [one.language for one in self.passages]
        return tuple(dict.fromkeys(written))

    @property
    def is_read_whole(self) -> bool:
        """Whether the agent reads all of the message, and of what the caller sent beside it."""
        event = self.event
        beside = (event.subject or "", event.customer_name or "", *event.fields.values())
        return len(event.text) <= READ_CHARS and sum(map(len, beside)) <= READ_CHARS

    @property
    def is_wordless(self) -> bool:
        """Whether the message has files and no words: then there is no wish to read."""
        event = self.event
        return bool(self.attachments) and event.reply_allowed and not event.text.strip()

    @property
    def order(self) -> Order | None:
        """The order that was found, and is this customer's."""
        return self.lookup.order if self.lookup else None
