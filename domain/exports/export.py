"""The export of a client's data: its sections, formats and file name."""

from datetime import datetime
from enum import StrEnum

from domain.core.json_time import rfc3339
from domain.core.service_name import ServiceName
from domain.exports.errors import InvalidExportFormat


class ExportFormat(StrEnum):
    JSON = "json"
    CSV = "csv"


class Section(StrEnum):
    """The sections of an export, in file order."""

    CLIENT = "client"
    SETTINGS = "settings"
    INTEGRATIONS = "integrations"
    AI_CONVERSATIONS = "ai_conversations"
    AUTOMATION_EVENTS = "automation_events"
    ENGINE_RUNS = "engine_runs"
    METRICS_DAILY = "metrics_daily"
    ESCALATION_TICKETS = "escalation_tickets"
    SENTIMENT_LOGS = "sentiment_logs"
    CHURN_PREDICTIONS = "churn_predictions"
    RESPONSE_TEMPLATES = "response_templates"
    KNOWLEDGE_ENTRIES = "knowledge_entries"
    AUDIT_ENTRIES = "audit_entries"
    ATTACHMENTS = "attachments"
    SAVED_CASES = "saved_cases"
    CORRECTIONS = "corrections"
    LABELLED_EXAMPLES = "labelled_examples"
    RATINGS = "ratings"
    SHADOW_DRAFTS = "shadow_drafts"
    CONVERSATION_REPLIES = "conversation_replies"
    CONVERSATION_NOTES = "conversation_notes"


def parse_format(given: list[str]) -> ExportFormat:
    """Return the export format specified in a request, or JSON if the request specifies none.

    Raises InvalidExportFormat for an unknown format and for more than one format.
    """
    if not given:
        return ExportFormat.JSON
    if len(given) > 1 or given[0] not in set(ExportFormat):
        raise InvalidExportFormat
    return ExportFormat(given[0])


def exported_at(now: datetime) -> str:
    """Return the time of an export in ISO 8601 with milliseconds, as in
    2026-01-01T00:00:00.000Z."""
    return rfc3339(now, "milliseconds")


def filename(now: datetime, form: ExportFormat, service: ServiceName) -> str:
    """Return the export's file name. Its timestamp has hyphens instead of colons and dots."""
    stamp = exported_at(now).replace(":", "-").replace(".", "-")
    return f"{service.slug}-export-{stamp}.{form}"
