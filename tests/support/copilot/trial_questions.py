"""The eighteen trial questions in both languages, with each one's topic and page."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TrialQuestion:
    """A question from a shop owner or support lead. `name` is the topic, for
    `tests/domain/copilot/test_trial_questions.py`. `page` is the start of the path that a useful
    answer links to."""

    name: str
    english: str
    french: str
    page: str


TRIAL: Final = (
    TrialQuestion(
        "refunds",
        "What did the agent refund today?",
        "Qu'est-ce que l'agent a remboursé aujourd'hui ?",
        "/runs/",
    ),
    TrialQuestion(
        "gaps",
        "Which questions have no answer?",
        "Quelles questions n'ont pas de réponse ?",
        "/knowledge/gaps",
    ),
    TrialQuestion(
        "volume", "How many tickets this month?", "Combien de tickets ce mois-ci ?", "/usage"
    ),
    TrialQuestion(
        "limits",
        "What is the refund limit of our policy?",
        "Quelle est la limite de remboursement de notre politique ?",
        "/playbooks/",
    ),
    TrialQuestion(
        "knowledge",
        "What are our opening hours?",
        "Quels sont nos horaires d'ouverture ?",
        "/knowledge/",
    ),
    TrialQuestion(
        "unhappy",
        "Give me a summary of today's complaints",
        "Fais-moi un résumé des plaintes du jour",
        "/conversations/",
    ),
    TrialQuestion(
        "attention",
        "What needs me?",
        "Qu'est-ce qui m'attend ?",
        "/reviews/",
    ),
    TrialQuestion(
        "waiting",
        "Which tickets have been waiting longest?",
        "Quels tickets attendent depuis le plus longtemps ?",
        "/reviews/",
    ),
    TrialQuestion(
        "automation",
        "What is our automation rate this week?",
        "Quel est notre taux d'automatisation cette semaine ?",
        "/metrics",
    ),
    TrialQuestion(
        "why",
        "Why did you hand over this ticket?",
        "Pourquoi as-tu transmis ce ticket ?",
        "/runs/",
    ),
    TrialQuestion(
        "satisfaction",
        "How satisfied were customers this month?",
        "Quelle est la satisfaction des clients ce mois-ci ?",
        "/metrics",
    ),
    TrialQuestion(
        "webhooks",
        "Which webhooks are failing?",
        "Quels webhooks sont en échec ?",
        "/webhooks/",
    ),
    TrialQuestion(
        "quota",
        "How much of the quota is left?",
        "Combien reste-t-il sur le quota ?",
        "/usage",
    ),
    TrialQuestion(
        "policy_changes",
        "What changed in the policy?",
        "Qu'est-ce qui a changé dans la politique ?",
        "/playbooks/",
    ),
    TrialQuestion(
        "articles",
        "Which articles are used most?",
        "Quels articles sont les plus utilisés ?",
        "/knowledge/",
    ),
    TrialQuestion(
        "refunds_by_reason",
        "Show me the refunds by reason",
        "Montre-moi les remboursements par motif",
        "/runs",
    ),
    TrialQuestion(
        "unhappy",
        "Which customers are angry today?",
        "Quels clients sont en colère aujourd'hui ?",
        "/conversations/",
    ),
    TrialQuestion(
        "customer",
        "What did you answer camille.durand@example.com?",
        "Qu'as-tu répondu à camille.durand@example.com ?",
        "/conversations/",
    ),
)
