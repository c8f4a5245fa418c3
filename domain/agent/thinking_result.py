"""The result of thinking about a message.

It is separate from the rules of `domain/agent/thinking.py` because many processes read results and
few processes think.
"""

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import BrainAnswer
from domain.agent.escalation_reason import EscalationReason
from domain.agent.guard_finding import GuardFinding
from domain.agent.intent import Intent
from domain.agent.plan import PlannedAction
from domain.agent.policy_decision import Judgement
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thread import Thread


class Finding(BaseModel):
    """A knowledge entry found for the message. `left_out` means that it contains a prompt injection
    and was withheld from the brain. `rank` is PostgreSQL's search rank."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    rank: float
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class ThinkingResult:
    """The result of thinking about a message.

    - `hold`: the reason why a human must review the answer, regardless of its confidence.
    - `text`: the answer to send, or empty if the brain's answer would promise a refused action.
    - `doubt`: the reason to escalate if the confidence is below the playbook's threshold.
    - `thread`: the thread's state once the answer has reached the customer.
    - `sensitive`: the sensitive topic that prevented a call to a brain.
    - `guard_findings`: the words that the guards rejected, and the outcome of each.
    """

    answer: BrainAnswer
    judgement: Judgement
    findings: tuple[Finding, ...]
    hold: EscalationReason | None
    text: str
    doubt: EscalationReason | None = None
    thread: Thread = field(default_factory=Thread)
    sensitive: SensitiveMatter | None = None
    guard_findings: tuple[GuardFinding, ...] = ()

    @property
    def plan(self) -> tuple[PlannedAction, ...]:
        return self.judgement.plan

    @property
    def intent(self) -> Intent | None:
        return self.answer.intents[0] if self.answer.intents else None
