"""The embedded copilot. It classifies a question by its words, and answers with data from the
tools."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from domain.copilot.phrases import phrase
from domain.copilot.question import CopilotQuestion
from domain.copilot.question_kind import AskedKind, AskedOfCopilot, asked_of
from domain.core.errors import OverBudget
from domain.tenants.errors import RoleRequired
from services.copilot.answers_on_account import (
    on_audit,
    on_integrations,
    on_keys,
    on_members,
    on_usage,
    on_webhooks,
)
from services.copilot.answers_on_content import (
    on_abilities,
    on_act,
    on_anything,
    on_articles,
    on_help,
    on_knowledge,
    on_playbooks,
    on_policy_changes,
    on_private,
    out_of_reach,
)
from services.copilot.answers_on_costs import on_failed_runs, on_model_costs
from services.copilot.answers_on_figures import (
    on_churn,
    on_gaps,
    on_metrics,
    on_refunds,
    on_topics,
    on_unhappy,
)
from services.copilot.answers_on_work import (
    on_attention,
    on_customer,
    on_order,
    on_queue,
    on_run,
)
from services.copilot.copilot_service import Trail
from services.core.cpu_guard import limited

EMBEDDED: Final = "embedded"
_ITEM: Final = "- "

_ANSWERS: Final[Mapping[AskedKind, Callable[[Trail, AskedOfCopilot], Awaitable[str]]]] = {
    AskedKind.WHY: on_run,
    AskedKind.USAGE: on_usage,
    AskedKind.WAITING: on_queue,
    AskedKind.HELP: on_help,
    AskedKind.CUSTOMER: on_customer,
    AskedKind.WEBHOOKS: on_webhooks,
    AskedKind.CHURN: on_churn,
    AskedKind.METRICS: on_metrics,
    AskedKind.GAPS: on_gaps,
    AskedKind.TOPICS: on_topics,
    AskedKind.REFUNDS: on_refunds,
    AskedKind.MODEL_COSTS: on_model_costs,
    AskedKind.FAILED_RUNS: on_failed_runs,
    AskedKind.UNHAPPY: on_unhappy,
    AskedKind.ATTENTION: on_attention,
    AskedKind.POLICY_CHANGES: on_policy_changes,
    AskedKind.ARTICLES: on_articles,
    AskedKind.PLAYBOOKS: on_playbooks,
    AskedKind.ORDER: on_order,
    AskedKind.KNOWLEDGE: on_knowledge,
    AskedKind.INTEGRATIONS: on_integrations,
    AskedKind.KEYS: on_keys,
    AskedKind.MEMBERS: on_members,
    AskedKind.AUDIT: on_audit,
    AskedKind.ABILITIES: on_abilities,
    AskedKind.ACT: on_act,
    AskedKind.PRIVATE: on_private,
    AskedKind.SEARCH: on_anything,
}


@dataclass(frozen=True, slots=True)
class Composed:
    """An answer from the embedded copilot. `can_not` is the reason why the copilot cannot answer
    the question, or None if it can."""

    text: str
    can_not: str | None


async def compose(trail: Trail, question: CopilotQuestion) -> Composed:
    """Return an answer to the question, composed from the data that the user's role may read.
    Raises EngineUnavailable."""
    asked = _asked_of(question)
    try:
        text = _paragraphs(await _ANSWERS[asked.kind](trail, asked))
        return Composed(text, out_of_reach(asked) or trail.can_not)
    except RoleRequired:
        said = phrase(asked.tongue, "role")
        return Composed(said, phrase(asked.tongue, "can_not_role"))


def _asked_of(question: CopilotQuestion) -> AskedOfCopilot:
    """Return the meaning of the question. A question that is too expensive to read counts as a
    question about the copilot's abilities."""
    try:
        return limited(lambda: asked_of(question))
    except OverBudget:
        return AskedOfCopilot(AskedKind.ABILITIES, question.asker.language, question.text)


def _paragraphs(text: str) -> str:
    """Return the text with a blank line after each list. In Markdown, a line directly below a list
    belongs to the list's last item."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and lines[-1].startswith(_ITEM) and line and not line.startswith(_ITEM):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)
