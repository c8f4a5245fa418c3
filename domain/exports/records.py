"""The export document: one model for each section, in section order.

The models define the JSON Schema, the tables in docs/export.md and the validation of imports.
`store/exports/sections.py` reads the sections from the database.
"""

from collections.abc import Mapping
from typing import Annotated, Final, get_args

from pydantic import Field

from domain.exports.account_records import (
    ClientRecord,
    IntegrationRecord,
    KnowledgeRecord,
    SettingsRecord,
    TemplateRecord,
)
from domain.exports.attachment_record import AttachmentRecord
from domain.exports.audit_record import AuditEntryRecord
from domain.exports.case_record import SavedCaseRecord
from domain.exports.conversation_records import (
    ConversationRecord,
    EscalationRecord,
    SentimentRecord,
)
from domain.exports.export import Section
from domain.exports.figure_records import AutomationEventRecord, ChurnRecord, MetricsRecord
from domain.exports.learning_records import (
    CorrectionExportRecord,
    LabelledExampleRecord,
    RatingRecord,
)
from domain.exports.record import Id, Record, Time
from domain.exports.reply_records import NoteRecord, ReplyRecord
from domain.exports.run_record import RunRecord
from domain.exports.shadow_record import ShadowDraftRecord


class ExportDocument(Record):
    """An export in JSON: all data of one client, in one consistent snapshot."""

    exported_at: Annotated[Time, Field(description="Time of the snapshot, in UTC.")]
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
    audit_entries: tuple[AuditEntryRecord, ...]
    attachments: tuple[AttachmentRecord, ...]
    saved_cases: tuple[SavedCaseRecord, ...]
    corrections: tuple[CorrectionExportRecord, ...]
    labelled_examples: tuple[LabelledExampleRecord, ...]
    ratings: tuple[RatingRecord, ...]
    shadow_drafts: tuple[ShadowDraftRecord, ...]
    conversation_replies: tuple[ReplyRecord, ...]
    conversation_notes: tuple[NoteRecord, ...]


RECORDS: Final[Mapping[Section, type[Record]]] = {
    section: get_args(ExportDocument.model_fields[section].annotation)[0] for section in Section
}
