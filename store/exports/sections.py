"""The columns of each section of an export, and the SQL that reads them.

JSON and CSV exports, the import and `domain/exports/records.py` share this table. Columns that are
not listed, such as credentials, are not exported. Rows are sorted by primary key, which is indexed.
"""

from collections.abc import Mapping
from typing import Final

from domain.exports.export import Section
from domain.tenants.answer_decision import LATEST_DECISION
from store.exports.section_source import (
    CellKind,
    Column,
    Elements,
    Source,
    utc,
)
from store.exports.section_source import boolean_cells as _boolean
from store.exports.section_source import day_cells as _day
from store.exports.section_source import json_cells as _json
from store.exports.section_source import number_cells as _number
from store.exports.section_source import of_table as _table
from store.exports.section_source import text_cells as _text
from store.exports.section_source import time_cells as _time

_MESSAGES: Final = Elements(
    f"""json_build_object(
        'id', m.id, 'event_id', m.event_id, 'reply_id', m.reply_id, 'direction', m.direction,
        'channel', m.channel, 'author', m.author, 'customer_key', m.customer_key, 'body', m.body,
        'created_at', {utc("m.created_at")})""",
    """engine_messages AS m
        WHERE m.client_id = t.client_id AND m.conversation_id = t.id""",
    "m.created_at, m.id",
)

_EVENT: Final = f"""(
    SELECT json_build_object(
        'source', e.source, 'event_type', e.event_type, 'customer_email', e.customer_email,
        'message', e.message, 'subject', e.subject, 'text', e.text, 'payload', e.payload,
        'unified', e.unified, 'author', e.author,
        'merchant_request', e.merchant_request, 'received_at', {utc("e.received_at")})
    FROM engine_events AS e
    WHERE e.client_id = t.client_id AND e.id = t.event_id)"""  # noqa: S608 - constants

_ACTIONS: Final = f"""(
    SELECT coalesce(json_agg(json_build_object(
        'id', a.id, 'step', a.step, 'round', a.round, 'action', a.action, 'state', a.state,
        'detail', a.detail, 'integration_id', a.integration_id, 'order_key', a.order_key,
        'order_number', a.order_number, 'customer_key', a.customer_key, 'amount', a.amount,
        'currency', a.currency, 'reference', a.reference, 'ticket_id', a.ticket_id,
        'planned_at', {utc("a.planned_at")}, 'finished_at', {utc("a.finished_at")})
        ORDER BY a.step, a.round), '[]'::json)
    FROM action_ledger AS a
    WHERE a.client_id = t.client_id AND a.run_id = t.id)"""  # noqa: S608 - constants

_PLAYBOOKS: Final = f"""(
    SELECT coalesce(json_agg(json_build_object(
        'id', p.id, 'version', p.version, 'is_active', p.is_active,
        'created_at', {utc("p.created_at")},
        'versions', (
            SELECT json_agg(json_build_object(
                'version', v.version, 'name', v.name, 'event_type', v.event_type,
                'threshold', v.threshold, 'rulebook', v.rulebook,
                'created_at', {utc("v.created_at")},
                'author', v.author, 'note', v.note, 'live_at', {utc("v.live_at")})
                ORDER BY v.version)
            FROM playbook_versions AS v
            WHERE v.client_id = p.client_id AND v.playbook_id = p.id)) ORDER BY p.id), '[]'::json)
    FROM playbooks AS p WHERE p.client_id = c.id)"""  # noqa: S608 - constants

# The value becomes null when the trial ends, as in the rest of the API.
_TRIAL_ENDS_AT: Final = "CASE WHEN t.trial_ends_at > statement_timestamp() THEN t.trial_ends_at END"

SOURCES: Final[Mapping[Section, Source]] = {
    Section.CLIENT: Source(
        (
            *_text("id brand_name plan"),
            Column("trial_ends_at", CellKind.TIME, _TRIAL_ENDS_AT),
            *_text("next_plan"),
            *_time("next_plan_from created_at"),
        ),
        "clients AS t WHERE t.id = %(client_id)s",
        "t.id",
    ),
    # This section always has exactly one record because the defaults apply to a client without
    # stored settings.
    Section.SETTINGS: Source(
        (
            *_text("system_prompt"),
            Column("guidance", CellKind.JSON, "coalesce(t.guidance, '{}')"),
            Column("branding", CellKind.JSON, "coalesce(t.branding, '{}')"),
            *_text("widget_key"),
            Column("retention", CellKind.JSON, "coalesce(t.retention, '{}')"),
            Column("sensitive_words", CellKind.JSON, "coalesce(t.sensitive_words, '[]')"),
            Column("acknowledgement", CellKind.JSON, "coalesce(t.acknowledgement, '{}')"),
            Column("frame", CellKind.JSON, "coalesce(t.frame, '{}')"),
            Column("disclosure", CellKind.JSON, "coalesce(t.disclosure, '{}')"),
            Column("disclosure_status", CellKind.TEXT, "coalesce(t.disclosure_status, 'on')"),
            Column("authserv_ids", CellKind.JSON, "coalesce(t.authserv_ids, '[]')"),
            Column("ask_rating", CellKind.BOOLEAN, "coalesce(t.ask_rating, false)"),
            Column("holds_loosening", CellKind.BOOLEAN, "coalesce(t.holds_loosening, true)"),
            Column(
                "answers_from_knowledge",
                CellKind.BOOLEAN,
                "coalesce(t.answers_from_knowledge, true)",
            ),
            Column(
                "answer_decision",
                CellKind.NUMBER,
                f"coalesce(t.answer_decision, {LATEST_DECISION})",
            ),
            *_json("business_hours"),
            Column("playbooks", CellKind.JSON, _PLAYBOOKS),
            *_time("updated_at"),
        ),
        "clients AS c LEFT JOIN client_settings AS t ON t.client_id = c.id "
        "WHERE c.id = %(client_id)s",
        "c.id",
    ),
    # A connection's credentials and settings are not exported, because they refer to external
    # accounts. The importing client enters them when it connects.
    Section.INTEGRATIONS: _table(
        Section.INTEGRATIONS,
        _text("id provider status error_code") + _time("connected_at disconnected_at"),
    ),
    Section.AI_CONVERSATIONS: _table(
        Section.AI_CONVERSATIONS,
        (
            *_text("id key memory_key channel customer_email summary"),
            *_json("thread"),
            *_number("sentiment"),
            *_boolean("is_critical"),
            *_time("handed_over_at"),
            *_text("taken_by"),
            *_time("taken_at closed_at snoozed_until"),
            *_text("assignee"),
            *_json("tags"),
            *_time("ended_at created_at last_message_at"),
            Column("messages", CellKind.JSON, _MESSAGES.all),
        ),
        elements=_MESSAGES,
    ),
    Section.AUTOMATION_EVENTS: _table(
        Section.AUTOMATION_EVENTS,
        _text("id event_type source status customer_email")
        + _json("payload")
        + _time("created_at"),
    ),
    Section.ENGINE_RUNS: _table(
        Section.ENGINE_RUNS,
        (
            *_text("id event_id playbook_id"),
            *_number("playbook_version"),
            *_text("status classification"),
            *_number("confidence"),
            *_json("alternatives"),
            *_text("language draft response"),
            *_json("answer"),
            *_text("doubt hold"),
            *_json("plan steps citations"),
            *_number("sentiment"),
            *_json("lookup findings verdicts guard_findings"),
            *_text("handoff_reason model"),
            *_number("tokens_in tokens_out cost_micros"),
            *_json("timings"),
            *_number("duration_ms"),
            *_text("error_code intent sensitive prompt_version model_fault joined_review"),
            *_time("received_at answered_at finished_at"),
            Column("event", CellKind.JSON, _EVENT),
            Column("actions", CellKind.JSON, _ACTIONS),
        ),
    ),
    Section.METRICS_DAILY: _table(
        Section.METRICS_DAILY,
        _day("day")
        + _number(
            "events runs completed needs_review failed no_playbook escalated reviewed "
            "messages_in messages_out customers latency_p50_ms latency_p95_ms sentiment_mean "
            "sentiment_count resolution_rate automation_rate escalation_rate review_rate "
            "asked handled resolved resolved_alone reopened durable"
        )
        + _json("escalations")
        + _number("rated satisfied rating_mean cost_micros")
        + _json("latencies breakdown")
        + _time("computed_at"),
        "t.day",
    ),
    Section.ESCALATION_TICKETS: _table(
        Section.ESCALATION_TICKETS,
        (
            *_text("id run_id"),
            *_number("round"),
            *_text("status reason"),
            *_boolean("urgent"),
            *_text("sensitive draft"),
            *_json("plan"),
            *_text("latest_event_id claimed_by"),
            *_time("claimed_at"),
            *_boolean("needs_second"),
            *_text("first_approved_by"),
            *_time("first_approved_at"),
            *_number("amount"),
            *_text("currency decided_by"),
            *_time("decided_at"),
            *_text("decision edited_text note"),
            *_time("expires_at created_at"),
        ),
    ),
    Section.SENTIMENT_LOGS: _table(
        Section.SENTIMENT_LOGS,
        _text("id conversation_id event_id")
        + _number("score")
        + _boolean("is_critical")
        + _time("created_at"),
    ),
    Section.CHURN_PREDICTIONS: _table(
        Section.CHURN_PREDICTIONS,
        _text("id customer_email")
        + _day("week")
        + _number("score")
        + _text("level")
        + _json("factors")
        + _time("created_at"),
    ),
    Section.RESPONSE_TEMPLATES: _table(
        Section.RESPONSE_TEMPLATES,
        _text("id name category language body intent")
        + _json("not_for")
        + _boolean("is_active is_starter")
        + _time("created_at updated_at"),
    ),
    Section.KNOWLEDGE_ENTRIES: _table(
        Section.KNOWLEDGE_ENTRIES,
        _text("id title body language")
        + _time("created_at updated_at")
        + _text("source_url")
        + _time("source_read_at"),
    ),
    Section.AUDIT_ENTRIES: _table(
        Section.AUDIT_ENTRIES,
        (
            *_number("seq"),
            *_text("id"),
            *_time("at"),
            *_text("actor_kind actor login network what"),
            *_json("ids"),
            Column("previous", CellKind.TEXT, "encode(t.previous, 'hex')"),
            Column("hash", CellKind.TEXT, "encode(t.hash, 'hex')"),
        ),
        "t.seq",
    ),
    Section.ATTACHMENTS: _table(
        Section.ATTACHMENTS,
        (
            *_text("id event_id"),
            *_number("position"),
            *_text("name claimed_type media_type"),
            *_number("size"),
            Column("sha256", CellKind.TEXT, "encode(t.digest, 'hex')"),
            *_text("state reason"),
            *_time("created_at"),
        ),
    ),
    Section.SAVED_CASES: _table(
        Section.SAVED_CASES,
        (
            *_text("id name"),
            *_json("scenario expected"),
            *_boolean("must"),
            *_number("tries pass_rate"),
            *_text("origin run_id created_by"),
            *_time("created_at updated_at"),
        ),
    ),
    Section.CORRECTIONS: _table(
        Section.CORRECTIONS,
        _text("id review_id run_id kind state decided_by")
        + _time("decided_at")
        + _text("case_id content_kind content_id")
        + _time("created_at"),
    ),
    Section.LABELLED_EXAMPLES: _table(
        Section.LABELLED_EXAMPLES,
        _text("id run_id text answer language classification intent labelled_by")
        + _time("created_at"),
    ),
    Section.RATINGS: _table(
        Section.RATINGS,
        (
            *_text("id run_id"),
            *_number("score"),
            *_text("comment channel"),
            *_time("created_at updated_at"),
        ),
    ),
    Section.SHADOW_DRAFTS: _table(
        Section.SHADOW_DRAFTS,
        (
            *_text("run_id playbook_id"),
            *_number("playbook_version"),
            *_text("classification"),
            *_number("confidence"),
            *_text("reason draft"),
            *_json("plan"),
            *_text("decision sent"),
            *_json("comparison"),
            *_time("created_at compared_at"),
        ),
        "t.run_id",
    ),
    Section.CONVERSATION_REPLIES: _table(
        Section.CONVERSATION_REPLIES,
        (
            *_text("id conversation_id event_id run_id"),
            *_number("step"),
            *_text("author body state error_code"),
            *_time("created_at send_at finished_at"),
        ),
    ),
    Section.CONVERSATION_NOTES: _table(
        Section.CONVERSATION_NOTES,
        _text("id conversation_id event_id author body") + _time("created_at"),
    ),
}
