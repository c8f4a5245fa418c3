"""The tables of runs, conversations, actions and what they cost."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from store.core.schema import json, metadata, points_to, tenant_key, text, time

engine_runs: Final = sa.Table(
    "engine_runs",
    metadata,
    *tenant_key(),
    text("event_id"),
    text("playbook_id"),
    sa.Column("playbook_version", sa.Integer, nullable=False),
    text("status"),
    text("classification", nullable=True),
    sa.Column("confidence", sa.Double, nullable=True),
    json("alternatives", "[]"),
    text("language", nullable=True),
    text("draft", nullable=True),
    text("response", nullable=True),
    # What the caller was told: the first outcome, whatever a human decides later.
    sa.Column("answer", JSONB, nullable=True),
    text("doubt", nullable=True),
    # Why a human must see it, however sure the brain is.
    text("hold", nullable=True),
    json("plan", "[]"),
    json("steps", "[]"),
    json("citations", "[]"),
    sa.Column("sentiment", sa.Double, nullable=True),
    # The order that was looked up for it, or why there is none.
    sa.Column("lookup", JSONB, nullable=True),
    # The knowledge and templates that the brain was shown, by id, title and rank.
    json("findings", "[]"),
    json("verdicts", "[]"),
    # Why it was first handed to a human.
    text("handoff_reason", nullable=True),
    text("model", nullable=True),
    sa.Column("tokens_in", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tokens_out", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    json("timings", "{}"),
    sa.Column("duration_ms", sa.Integer, nullable=True),
    text("error_code", nullable=True),
    # What the customer wants, below the class (`domain/agent/intent.py`).
    text("intent", nullable=True),
    # Why no brain was asked: the matter that always goes to a human.
    text("sensitive", nullable=True),
    # Which version of our prompt a language model was asked with.
    text("prompt_version", nullable=True),
    # The proposal that waited when the message came: its yes is to that one, and no other's.
    sa.Column("proposal", JSONB, nullable=True),
    # What the answer leaves open in the thread, once the customer has it.
    sa.Column("thread_after", JSONB, nullable=True),
    # The review that the message was added to, for a human has the conversation.
    text("joined_review", nullable=True),
    # A person wrote the answer of that review with this message in view.
    sa.Column("covered", sa.Boolean, nullable=False, server_default=sa.false()),
    # The draft of that review was made with this message.
    sa.Column("in_draft", sa.Boolean, nullable=False, server_default=sa.false()),
    # The review during which the agent answers the message, as another matter.
    text("aside_of", nullable=True),
    time("received_at"),
    time("answered_at", nullable=True),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "event_id"),
    points_to("engine_events", "event_id"),
    sa.ForeignKeyConstraint(
        ["client_id", "playbook_id", "playbook_version"],
        [
            "playbook_versions.client_id",
            "playbook_versions.playbook_id",
            "playbook_versions.version",
        ],
    ),
    sa.CheckConstraint(
        "status IN ('received', 'completed', 'needs_review', 'failed')", name="status"
    ),
    # The sweeper looks for runs nobody answered; healthy ones leave this index at once.
    sa.Index(
        "ix_engine_runs_received", "received_at", postgresql_where=sa.text("status = 'received'")
    ),
    sa.Index(
        "ix_engine_runs_joined",
        "client_id",
        "joined_review",
        postgresql_where=sa.text("joined_review IS NOT NULL"),
    ),
    # What people filter the list by.
    sa.Index(None, "client_id", "status", "id"),
    sa.Index(None, "client_id", "classification", "id"),
    sa.Index(None, "client_id", "playbook_id", "id"),
    sa.Index(None, "client_id", "handoff_reason", "id"),
)

ai_conversations: Final = sa.Table(
    "ai_conversations",
    metadata,
    *tenant_key(),
    text("key"),
    text("channel"),
    text("customer_email", nullable=True),
    json("turns", "[]"),
    text("summary"),
    # The customer whose memory it shares; a visitor that nobody vouches for has none.
    text("memory_key", nullable=True),
    # The order that is spoken of, what was asked and not answered, the language.
    json("thread", "{}"),
    # The action that the customer was asked to confirm; a yes takes it, once.
    sa.Column("proposal", JSONB, nullable=True),
    # Since when people answer in it, and the agent does not.
    time("handed_over_at", nullable=True),
    # The user who took it over at the dashboard, until they hand it back.
    text("taken_by", nullable=True),
    time("taken_at", nullable=True),
    # After a time without a message the next one begins another; `key` then makes room for it.
    time("ended_at", nullable=True),
    # The latest score, and whether it lies in the critical zone.
    sa.Column("sentiment", sa.Double, nullable=True),
    sa.Column("is_critical", sa.Boolean, nullable=False, server_default=sa.false()),
    time("created_at"),
    time("last_message_at"),
    sa.UniqueConstraint("client_id", "key"),
    sa.Index(None, "client_id", "memory_key", "last_message_at"),
    sa.Index(None, "client_id", "last_message_at", "id"),
    # Few are, and people look for them.
    sa.Index(
        "ix_ai_conversations_taken",
        "client_id",
        "last_message_at",
        "id",
        postgresql_where=sa.text("taken_at IS NOT NULL"),
    ),
    sa.Index(
        "ix_ai_conversations_critical",
        "client_id",
        "last_message_at",
        "id",
        postgresql_where=sa.text("is_critical"),
    ),
)

# What came of a customer's earlier tickets, whatever the thread.
customer_memories: Final = sa.Table(
    "customer_memories",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    text("summary"),
    time("updated_at"),
)

engine_messages: Final = sa.Table(
    "engine_messages",
    metadata,
    *tenant_key(),
    text("event_id"),
    text("conversation_id", nullable=True),
    text("direction"),
    text("channel", nullable=True),
    # The customer's address as the limit for one customer counts it.
    text("customer_key", nullable=True),
    # Whether the author was not proved when the message came, also where no address is named.
    sa.Column("is_claim", sa.Boolean, nullable=False, server_default=sa.false()),
    text("author"),
    text("body"),
    time("created_at"),
    # Of a widget's conversation: its session, and the message's place in it, from 1.
    text("widget_session_id", nullable=True),
    sa.Column("widget_number", sa.Integer, nullable=True),
    points_to("engine_events", "event_id"),
    points_to("ai_conversations", "conversation_id"),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    # What the gateway's limits count: a client's latest messages, and those of one customer.
    sa.Index(
        "ix_engine_messages_inbound",
        "client_id",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound'"),
    ),
    sa.Index(
        "ix_engine_messages_customer",
        "client_id",
        "customer_key",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound' AND customer_key IS NOT NULL"),
    ),
    sa.Index(
        "ix_engine_messages_widget_session",
        "client_id",
        "widget_session_id",
        "widget_number",
        unique=True,
        postgresql_where=sa.text("widget_session_id IS NOT NULL"),
    ),
    # What the widget's own share of the client's limits counts.
    sa.Index(
        "ix_engine_messages_widget",
        "client_id",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound' AND widget_session_id IS NOT NULL"),
    ),
    # One inbound and at most one outbound message an event: a retried step writes nothing twice.
    sa.UniqueConstraint("client_id", "event_id", "direction"),
    sa.CheckConstraint("direction IN ('inbound', 'outbound')", name="direction"),
    sa.CheckConstraint("author IN ('customer', 'agent', 'human')", name="author"),
)

action_ledger: Final = sa.Table(
    "action_ledger",
    metadata,
    *tenant_key(),
    text("run_id"),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    text("action"),
    text("state"),
    text("detail"),
    text("integration_id", nullable=True),
    text("order_key", nullable=True),
    text("customer_key", nullable=True),
    sa.Column("amount", sa.BigInteger, nullable=True),
    text("currency", nullable=True),
    # The other side's name for what was done.
    text("reference", nullable=True),
    # The helpdesk's ticket that it was done in.
    text("ticket_id", nullable=True),
    time("planned_at"),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "step", "round"),
    points_to("engine_runs", "run_id"),
    sa.CheckConstraint("state IN ('planned', 'done', 'failed', 'unknown')", name="state"),
    # What was given back already, to a customer and in a day, and what was done to an order.
    sa.Index(
        "ix_action_ledger_money",
        "client_id",
        "planned_at",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    ),
    # In which thread we sent a mail, for the answer that names nothing else.
    sa.Index(
        "ix_action_ledger_mails",
        "client_id",
        "reference",
        postgresql_where=sa.text("action = 'reply_by_email'"),
    ),
    # What we wrote in a helpdesk's ticket, for the webhook that brings it back.
    sa.Index(
        "ix_action_ledger_ticket",
        "client_id",
        "integration_id",
        "ticket_id",
        postgresql_where=sa.text("ticket_id IS NOT NULL"),
    ),
    sa.Index(
        "ix_action_ledger_order",
        "client_id",
        "order_key",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    ),
)

# The customer's tone, message by message.
sentiment_logs: Final = sa.Table(
    "sentiment_logs",
    metadata,
    *tenant_key(),
    text("conversation_id"),
    text("event_id"),
    sa.Column("score", sa.Double, nullable=False),
    sa.Column("is_critical", sa.Boolean, nullable=False),
    time("created_at"),
    sa.UniqueConstraint("client_id", "event_id"),
    points_to("ai_conversations", "conversation_id"),
    points_to("engine_events", "event_id"),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    sa.CheckConstraint("score BETWEEN -1 AND 1", name="score"),
)

# What language models cost a client in a month, in millionths of a US dollar.
brain_costs: Final = sa.Table(
    "brain_costs",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("calls", sa.BigInteger, nullable=False),
    sa.Column("tokens_in", sa.BigInteger, nullable=False),
    sa.Column("tokens_out", sa.BigInteger, nullable=False),
    sa.Column("cost_micros", sa.BigInteger, nullable=False),
    sa.CheckConstraint(r"period ~ '^\d{4}-(0[1-9]|1[0-2])$'", name="period"),
)
