"""The document that an export is: one model for each section, in their order.

They are its JSON schema, the tables of docs/export.md and what an import is held against. What
each is read from the database by: `store/exports/sections.py`, and a test holds both equal.
"""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field

from domain.exports.account_records import (
    ClientRecord,
    IntegrationRecord,
    KnowledgeRecord,
    SettingsRecord,
    TemplateRecord,
)
from domain.exports.conversation_records import (
    ConversationRecord,
    EscalationRecord,
    SentimentRecord,
)
from domain.exports.export import Section
from domain.exports.figure_records import AutomationEventRecord, ChurnRecord, MetricsRecord
from domain.exports.record import Id, Record, Time
from domain.exports.run_record import RunRecord

RECORDS: Final[Mapping[Section, type[Record]]] = {
    Section.CLIENT: ClientRecord,
    Section.SETTINGS: SettingsRecord,
    Section.INTEGRATIONS: IntegrationRecord,
    Section.AI_CONVERSATIONS: ConversationRecord,
    Section.AUTOMATION_EVENTS: AutomationEventRecord,
    Section.ENGINE_RUNS: RunRecord,
    Section.METRICS_DAILY: MetricsRecord,
    Section.ESCALATION_TICKETS: EscalationRecord,
    Section.SENTIMENT_LOGS: SentimentRecord,
    Section.CHURN_PREDICTIONS: ChurnRecord,
    Section.RESPONSE_TEMPLATES: TemplateRecord,
    Section.KNOWLEDGE_ENTRIES: KnowledgeRecord,
}


class ExportDocument(Record):
    """All data of one client at one moment, in the JSON form."""

    exported_at: Annotated[Time, Field(description="The moment that all of it shows, UTC.")]
    client_id: Annotated[Id, Field(description="ULID of the client.")]
    client: tuple[ClientRecord, ...]
    settings: tuple[SettingsRecord, ...]
    integrations: tuple[IntegrationRecord, ...]
    ai_conversations: tuple[ConversationRecord, ...]
    automation_events: tuple[AutomationEventRecord, ...]
    engine_runs: tuple[RunRecord, ...]
    metrics_daily: tuple[MetricsRecord, ...]
    escalation_tickets: tuple[EscalationRecord, ...]
    sentiment_logs: tuple[SentimentRecord, ...]
    churn_predictions: tuple[ChurnRecord, ...]
    response_templates: tuple[TemplateRecord, ...]
    knowledge_entries: tuple[KnowledgeRecord, ...]
