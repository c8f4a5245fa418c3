"""Convert the agent's result for a message to the outcome that a run would have stored."""

from domain.agent.errors import BrainFailed
from domain.agent.plan import REPLIES
from domain.agent.thinking_result import ThinkingResult
from domain.agent.thread import Thread
from domain.integrations.order import Lookup
from domain.runs.run import RunDraft, review_reason
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome, UsedPlaybook


def simulated_outcome(
    used: UsedPlaybook, lookup: Lookup | None, thought: ThinkingResult
) -> SimulatedOutcome:
    """Return the outcome for the agent's result under the playbook's threshold. All actions are
    assumed to succeed."""
    answer, draft = thought.answer, RunDraft.of(thought)
    reason = review_reason(draft, used.threshold)
    is_sent = reason is None and any(step.kind in REPLIES for step in draft.plan)
    return SimulatedOutcome(
        status=OutcomeStatus.COMPLETED if reason is None else OutcomeStatus.NEEDS_REVIEW,
        playbook=used,
        reason=reason,
        classification=answer.classification,
        intent=thought.intent,
        confidence=answer.confidence,
        alternatives=answer.alternatives,
        language=answer.language,
        sentiment=answer.sentiment,
        response=draft.text if is_sent else "",
        draft=draft.text,
        plan=draft.plan,
        verdicts=thought.judgement.verdicts,
        sources=answer.citations,
        findings=thought.findings,
        lookup=lookup,
        sensitive=thought.sensitive,
        model=answer.model,
        prompt_version=answer.prompt_version,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost_micros=answer.cost_micros,
    )


def brain_failed(
    used: UsedPlaybook, lookup: Lookup | None, failure: BrainFailed
) -> SimulatedOutcome:
    """Return the outcome of a message after the language model failed, with the cost of the
    attempts."""
    return SimulatedOutcome(
        status=OutcomeStatus.BRAIN_FAILED,
        playbook=used,
        lookup=lookup,
        tokens_in=failure.tokens_in,
        tokens_out=failure.tokens_out,
        cost_micros=failure.cost_micros,
    )


def rules_of(used: UsedPlaybook, thread: Thread) -> tuple[str, int]:
    """Return the playbook id and version under which a customer's confirmation of the open question
    is valid.

    A question that was asked under another version of the same playbook is treated as asked under
    the version being tested.
    """
    asked = thread.proposal
    if asked is not None and asked.playbook_id == (used.id or ""):
        return asked.playbook_id, asked.playbook_version
    return used.id or "", used.version or 0
