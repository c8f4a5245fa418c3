"""The notification about a review, for a chat channel of a merchant's team.

It contains no customer's address or text, because a chat service may store it abroad and longer
than the client's retention.
"""

from dataclasses import dataclass
from typing import Final, Literal

from domain.agent.escalation_reason import EscalationReason
from domain.core.plain_text import without_controls

NoticeLanguage = Literal["fr", "en"]

_MAX_TICKET: Final = 80
REASON_TEXTS: Final[dict[NoticeLanguage, dict[EscalationReason, str]]] = {
    "fr": {
        EscalationReason.LOW_CONFIDENCE: "l'agent n'est pas assez sûr de lui",
        EscalationReason.CUSTOMER_REQUEST: "le client demande une personne",
        EscalationReason.MISSING_KNOWLEDGE: "l'agent ne sait pas répondre à cela",
        EscalationReason.UNSUPPORTED_REQUEST: "l'agent ne peut pas faire ce qui est demandé",
        EscalationReason.POLICY_RESTRICTION: "vos règles veulent qu'une personne décide",
        EscalationReason.TOOL_FAILURE: "une action n'a pas abouti",
        EscalationReason.UNSAFE_INPUT: "le message est inhabituel ou sensible",
        EscalationReason.SHADOW_MODE: "l'agent est à l'essai et n'envoie rien",
        EscalationReason.AUTOMATION_STOPPED: "l'automatisation est arrêtée",
        EscalationReason.MODEL_UNAVAILABLE: "le modèle de langage ne répond pas",
    },
    "en": {
        EscalationReason.LOW_CONFIDENCE: "the agent is not sure enough",
        EscalationReason.CUSTOMER_REQUEST: "the customer asks for a person",
        EscalationReason.MISSING_KNOWLEDGE: "the agent does not know the answer",
        EscalationReason.UNSUPPORTED_REQUEST: "the agent cannot do what is asked for",
        EscalationReason.POLICY_RESTRICTION: "your rules want a person to decide",
        EscalationReason.TOOL_FAILURE: "an action did not succeed",
        EscalationReason.UNSAFE_INPUT: "the message is unusual or sensitive",
        EscalationReason.SHADOW_MODE: "the agent is on trial and sends nothing",
        EscalationReason.AUTOMATION_STOPPED: "automation is stopped",
        EscalationReason.MODEL_UNAVAILABLE: "the language model is unavailable",
    },
}


@dataclass(frozen=True, slots=True)
class ReviewNotice:
    """A notification about an open review. `ticket_id` is the id in the system that sent the
    event."""

    review_id: str
    run_id: str
    reason: EscalationReason
    urgent: bool
    classification: str
    confidence: float
    ticket_id: str


def notice_text(notice: ReviewNotice, language: NoticeLanguage, dashboard_url: str) -> str:
    """Return the text of the notification. The last two lines state where to decide the review."""
    ticket = without_controls(notice.ticket_id).replace("\n", " ")[:_MAX_TICKET]
    link = f"{dashboard_url}/reviews/{notice.review_id}"
    reason = REASON_TEXTS[language][notice.reason]
    sure = round(notice.confidence * 100)
    if language == "fr":
        lines = [
            f"{'Urgent : u' if notice.urgent else 'U'}ne réponse attend une personne.",
            f"Raison : {reason}.",
            f"Sujet : {notice.classification or 'inconnu'} ({sure} %)",
            f"Ticket : {ticket}",
            f"À décider ici : {link}",
            f"Pour un exploitant : cli.py review show {notice.review_id}",
        ]
    else:
        lines = [
            f"{'Urgent: a' if notice.urgent else 'A'}n answer waits for a person.",
            f"Reason: {reason}.",
            f"Subject: {notice.classification or 'unknown'} ({sure} %)",
            f"Ticket: {ticket}",
            f"To be decided here: {link}",
            f"For an operator: cli.py review show {notice.review_id}",
        ]
    return "\n".join(lines)
