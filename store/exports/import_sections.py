"""SQL that imports the records of an export, section by section.

PostgreSQL parses `:records`, a JSON array. Imported work is never in progress: no run waits for its
workflow, no review is pending, and no connection has credentials.
"""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

from domain.exports.export import Section
from domain.integrations.integration import IntegrationStatus
from domain.reviews.escalation import OPEN_STATUSES, Decision, EscalationStatus
from domain.runs.conversation import MAX_TURN_CHARS, MAX_TURNS, TURNS_KEPT
from domain.runs.run import EventOutcome, RunStatus
from domain.runs.teammate_reply import ReplyState
from store.content.stale_entries import digest_of
from store.content.tables import knowledge_entries
from store.exports.import_closing import IMPORTED
from store.exports.record_inserts import insert_parts, insert_records, typed
from store.exports.sections import SOURCES
from store.intake.tables import engine_events
from store.integrations.tables import integrations
from store.metadata import metadata
from store.playbooks.tables import playbook_versions, playbooks
from store.reviews.tables import escalation_tickets
from store.runs.tables import (
    action_ledger,
    ai_conversations,
    conversation_replies,
    engine_messages,
    engine_runs,
)

CREDENTIALS_MISSING: Final = "credentials_missing"
"""Error code of an imported connection. It has no credentials until the client connects again."""

HELD: Final = sa.text(
    "CREATE TEMPORARY TABLE imported_messages ON COMMIT DROP AS "
    "SELECT 0::bigint AS place, m.* FROM engine_messages AS m WITH NO DATA"
)
"""A temporary table for messages. In the file, messages appear before the events to which they
belong."""

HELD_BY_PLACE: Final = sa.text("CREATE INDEX ON imported_messages (place)")
"""The index for reading the temporary table of messages in pages. Without it, every page would
require a scan of all messages."""


def _names(section: Section, *without: str) -> list[str]:
    return [column.name for column in SOURCES[section].columns if column.name not in without]


def _plain(section: Section, values: Mapping[str, str] | None = None) -> tuple[sa.TextClause, ...]:
    return (insert_records(metadata.tables[section], _names(section), values),)


# The messages are stored in the same format as in `store/runs/conversations.py`. Their age is
# measured from the latest message, not from the current time.
_TURNS: Final = f"""(
    SELECT coalesce(jsonb_agg(
        jsonb_build_object('author', author, 'body', left(body, {MAX_TURN_CHARS}), 'at', created_at)
        ORDER BY created_at, event_id, direction), '[]')
    FROM (
        SELECT * FROM json_to_recordset(r.messages) AS m (
            author text, body text, created_at timestamptz, event_id text, direction text)
        WHERE body <> ''
          AND created_at > r.last_message_at - interval '{TURNS_KEPT.total_seconds()} seconds'
        ORDER BY created_at DESC, event_id DESC, direction DESC
        LIMIT {MAX_TURNS}
    ) AS latest)"""  # noqa: S608 - our own numbers

_MESSAGE: Final = (
    "id", "event_id", "reply_id", "direction", "channel", "author", "customer_key", "body",
    "created_at",
)  # fmt: skip

_WAS_OPEN: Final = f"r.status IN ({', '.join(repr(one.value) for one in sorted(OPEN_STATUSES))})"

_WAS_UNSENT: Final = f"r.state IN ('{ReplyState.SCHEDULED}', '{ReplyState.SENDING}')"

# Columns that are missing in files written by an earlier version.
_NEW_FIGURES: Final = {
    **{name: f"coalesce(r.{name}, '{{}}')" for name in ("escalations", "latencies", "breakdown")},
    **{name: f"coalesce(r.{name}, 0)" for name in ("rated", "satisfied", "cost_micros")},
}

_PLAYBOOK: Final = ("id", "version", "is_active", "created_at")
_VERSION: Final = (
    "version", "name", "event_type", "threshold", "rulebook", "created_at", "author", "note",
)  # fmt: skip
# Files that were exported before the publish gate existed lack `live_at`. At that time, every
# active playbook outside shadow mode answered events, so its version went live when it was created.
_LIVE_AT: Final = """coalesce(r.live_at, CASE
    WHEN p.is_active AND p.version = r.version AND r.rulebook->>'shadow' IS DISTINCT FROM 'true'
    THEN r.created_at END)"""
_EVENT: Final = (
    "source", "event_type", "customer_email", "message", "subject", "text", "payload", "unified",
    "author", "merchant_request", "received_at",
)  # fmt: skip
_ACTION: Final = (
    "id", "step", "round", "action", "state", "detail", "integration_id", "order_key",
    "order_number", "customer_key", "amount", "currency", "reference", "ticket_id", "planned_at",
    "finished_at",
)  # fmt: skip

# A record without `updated_at` contains only defaults, so no row is inserted. The widget key is not
# imported, because pages that embed the widget would then connect to any client that imported the
# file.
_SETTINGS: Final = sa.text("""
    INSERT INTO client_settings
        (client_id, system_prompt, guidance, branding, retention, authserv_ids, sensitive_words,
        acknowledgement, frame, disclosure, disclosure_status, ask_rating, holds_loosening,
        answers_from_knowledge, answer_decision, business_hours, updated_at)
    SELECT :client_id, system_prompt, coalesce(guidance, '{}'), branding, retention,
        coalesce(authserv_ids, '[]'),
        coalesce(sensitive_words, '[]'), coalesce(acknowledgement, '{}'), coalesce(frame, '{}'),
        coalesce(disclosure, '{}'), coalesce(disclosure_status, 'on'),
        coalesce(ask_rating, false), coalesce(holds_loosening, true),
        coalesce(answers_from_knowledge, false), coalesce(answer_decision, 1), business_hours,
        updated_at
    FROM json_to_recordset(CAST(:records AS json)) AS r (
        system_prompt text, guidance jsonb, branding jsonb, retention jsonb, authserv_ids jsonb,
        sensitive_words jsonb, acknowledgement jsonb, frame jsonb, disclosure jsonb,
        disclosure_status text, ask_rating boolean,
        holds_loosening boolean, answers_from_knowledge boolean, answer_decision smallint,
        business_hours jsonb, updated_at timestamptz)
    WHERE updated_at IS NOT NULL
    ON CONFLICT (client_id) DO UPDATE SET
        (system_prompt, guidance, branding, retention, authserv_ids, sensitive_words,
        acknowledgement, frame,
        disclosure, disclosure_status, ask_rating, holds_loosening, answers_from_knowledge,
        answer_decision, business_hours, updated_at)
        = (excluded.system_prompt, excluded.guidance, excluded.branding, excluded.retention,
        excluded.authserv_ids,
        excluded.sensitive_words, excluded.acknowledgement, excluded.frame,
        excluded.disclosure, excluded.disclosure_status, excluded.ask_rating,
        excluded.holds_loosening, excluded.answers_from_knowledge, excluded.answer_decision,
        excluded.business_hours, excluded.updated_at)""")

# Every column of these sections is written exactly as it was exported.
_AS_THEY_ARE: Final = (
    Section.AUTOMATION_EVENTS, Section.SENTIMENT_LOGS, Section.CHURN_PREDICTIONS,
    Section.RESPONSE_TEMPLATES, Section.SAVED_CASES, Section.CORRECTIONS,
    Section.LABELLED_EXAMPLES, Section.RATINGS, Section.SHADOW_DRAFTS, Section.CONVERSATION_NOTES,
)  # fmt: skip

STATEMENTS: Final[Mapping[Section, tuple[sa.TextClause, ...]]] = {
    # The plan, the trial and the creation time are those of the receiving client. A file could
    # otherwise grant a paid plan or a longer trial.
    Section.CLIENT: (
        sa.text("""
            UPDATE clients AS c SET brand_name = r.brand_name
            FROM json_to_recordset(CAST(:records AS json)) AS r (brand_name text)
            WHERE c.id = :client_id"""),
    ),
    Section.SETTINGS: (
        sa.text("DELETE FROM playbook_versions WHERE client_id = :client_id"),
        sa.text("DELETE FROM playbooks WHERE client_id = :client_id"),
        _SETTINGS,
        insert_parts(playbooks, "playbooks", _PLAYBOOK, {}),
        sa.text(f"""
            INSERT INTO playbook_versions
                (client_id, playbook_id, {", ".join(_VERSION)}, live_at)
            SELECT :client_id, p.id, {", ".join(f"r.{name}" for name in _VERSION)}, {_LIVE_AT}
            FROM json_to_recordset(CAST(:records AS json)) AS o (playbooks json),
                 json_to_recordset(o.playbooks) AS p
                     (id text, version integer, is_active boolean, versions json),
                 json_to_recordset(p.versions) AS r
                     ({typed(playbook_versions, (*_VERSION, "live_at"))})
        """),  # noqa: S608 - our own names
    ),
    Section.INTEGRATIONS: (
        insert_records(
            integrations,
            _names(Section.INTEGRATIONS),
            {
                "status": f"CASE r.status WHEN '{IntegrationStatus.CONNECTED}' "
                f"THEN '{IntegrationStatus.ERROR}' ELSE r.status END",
                "error_code": f"CASE r.status WHEN '{IntegrationStatus.CONNECTED}' "
                f"THEN '{CREDENTIALS_MISSING}' ELSE r.error_code END",
                "sealed": "''",
            },
        ),
    ),
    Section.AI_CONVERSATIONS: (
        insert_records(
            ai_conversations,
            _names(Section.AI_CONVERSATIONS, "messages"),
            {
                "turns": _TURNS,
                # Files from earlier versions lack these columns.
                "thread": "coalesce(r.thread, '{}')",
                "tags": "coalesce(r.tags, '[]')",
                "memory_key": "coalesce(r.memory_key, "
                "CASE WHEN r.key LIKE 'email:%' THEN r.key END)",
            },
            more=", messages json",
        ),
        sa.text(f"""
            INSERT INTO imported_messages
                (place, client_id, conversation_id, {", ".join(_MESSAGE)})
            SELECT :held + row_number() OVER (), :client_id, o.id,
                   {", ".join(f"r.{name}" for name in _MESSAGE)}
            FROM json_to_recordset(CAST(:records AS json)) AS o (id text, messages json),
                 json_to_recordset(o.messages) AS r ({typed(engine_messages, _MESSAGE)})
        """),  # noqa: S608 - our own names
    ),
    Section.ENGINE_RUNS: (
        insert_parts(
            engine_events,
            "event",
            _EVENT,
            {"id": "o.event_id", "outcome": f"'{EventOutcome.RUN}'"},
            "event_id text, ",
        ),
        insert_records(
            engine_runs,
            _names(Section.ENGINE_RUNS, "event", "actions"),
            {
                "status": f"CASE r.status WHEN '{RunStatus.RECEIVED}' "
                f"THEN '{RunStatus.FAILED}' ELSE r.status END",
                "error_code": f"CASE r.status WHEN '{RunStatus.RECEIVED}' "
                f"THEN '{IMPORTED}' ELSE r.error_code END",
                "finished_at": f"CASE r.status WHEN '{RunStatus.RECEIVED}' "
                "THEN CAST(:now AS timestamptz) ELSE r.finished_at END",
            },
        ),
        insert_parts(action_ledger, "actions", _ACTION, {"run_id": "o.id"}, "id text, "),
    ),
    Section.METRICS_DAILY: _plain(Section.METRICS_DAILY, _NEW_FIGURES),
    Section.ESCALATION_TICKETS: (
        insert_records(
            escalation_tickets,
            _names(Section.ESCALATION_TICKETS),
            {
                "status": f"CASE WHEN {_WAS_OPEN} THEN '{EscalationStatus.EXPIRED}' "
                "ELSE r.status END",
                "decision": f"CASE WHEN {_WAS_OPEN} THEN '{Decision.EXPIRE}' ELSE r.decision END",
                "decided_at": f"CASE WHEN {_WAS_OPEN} THEN CAST(:now AS timestamptz) "
                "ELSE r.decided_at END",
                "taken_up_at": f"CASE WHEN {_WAS_OPEN} THEN CAST(:now AS timestamptz) "
                "ELSE r.decided_at END",
            },
        ),
    ),
    # A reply that was scheduled or being sent is not sent after the import.
    Section.CONVERSATION_REPLIES: (
        insert_records(
            conversation_replies,
            _names(Section.CONVERSATION_REPLIES),
            {
                "state": f"CASE WHEN {_WAS_UNSENT} THEN '{ReplyState.FAILED}' ELSE r.state END",
                "error_code": f"CASE WHEN {_WAS_UNSENT} THEN '{IMPORTED}' ELSE r.error_code END",
                "finished_at": f"CASE WHEN {_WAS_UNSENT} THEN CAST(:now AS timestamptz) "
                "ELSE r.finished_at END",
            },
        ),
    ),
    Section.KNOWLEDGE_ENTRIES: (
        insert_records(
            knowledge_entries,
            (*_names(Section.KNOWLEDGE_ENTRIES), "search_text"),
            {"digest": digest_of("r")},
        ),
    ),
    **{section: _plain(section) for section in _AS_THEY_ARE},
}

RELEASE_MESSAGES: Final = sa.text(f"""
    INSERT INTO engine_messages (client_id, conversation_id, {", ".join(_MESSAGE)})
    SELECT client_id, conversation_id, {", ".join(_MESSAGE)} FROM imported_messages
    WHERE place > :after AND place <= :upto
""")  # noqa: S608 - our own names
"""The statement that inserts one page of messages from the temporary table, once their events are
imported."""
