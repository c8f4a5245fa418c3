"""The topic of a question, as in the trial's questions."""

from typing import Final

from domain.copilot.question_kind import AskedKind, AskedOfCopilot

_SUBJECTS: Final = {
    AskedKind.PLAYBOOKS: "limits",
    AskedKind.USAGE: "quota",
    # A question without a kind is answered from the knowledge base.
    AskedKind.SEARCH: "knowledge",
}


def subject_of(asked: AskedOfCopilot) -> str:
    if asked.kind is AskedKind.METRICS and asked.figure is not None:
        return asked.figure.value
    if asked.kind is AskedKind.REFUNDS and asked.by_reason:
        return "refunds_by_reason"
    return _SUBJECTS.get(asked.kind, asked.kind.value)
