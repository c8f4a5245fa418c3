"""The tables of runs, conversations, actions and their costs."""

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
    # The answer that the caller received: the first outcome, even if a later decision differs.
    sa.Column("answer", JSONB, nullable=True),
    text("doubt", nullable=True),
    # Why a human must review the run regardless of its confidence.
    text("hold", nullable=True),
    json("plan", "[]"),
    json("steps", "[]"),
    json("citations", "[]"),
    sa.Column("sentiment", sa.Double, nullable=True),
    # The result of the order lookup: the order, or the reason why none was found.
    sa.Column("lookup", JSONB, nullable=True),
    # The knowledge entries and templates shown to the brain, by id, title and rank.
    json("findings", "[]"),
    json("verdicts", "[]"),
    # The words of the draft that the guards rejected (`domain/agent/guard_finding.py`).
    json("guard_findings", "[]"),
    # The reason for the run's first escalation.
    text("handoff_reason", nullable=True),
    text("model", nullable=True),
    # The reason why the preferred language model did not answer (`domain/agent/model_fault.py`).
    text("model_fault", nullable=True),
    sa.Column("tokens_in", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tokens_out", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cost_micros", sa.BigInteger, nullable=False, server_default="0"),
    json("timings", "{}"),
    sa.Column("duration_ms", sa.Integer, nullable=True),
    text("error_code", nullable=True),
    # The customer's intent, a subdivision of the category (`domain/agent/intent.py`).
    text("intent", nullable=True),
    # The sensitive topic of the message. Such a message is always held for human review, and no
    # brain is called for it.
    text("sensitive", nullable=True),
    text("prompt_version", nullable=True),
    # The proposal that was pending confirmation when the message arrived. A "yes" in the message
    # confirms only this proposal.
    sa.Column("proposal", JSONB, nullable=True),
    # The thread's settled facts after the customer has received the answer.
    sa.Column("thread_after", JSONB, nullable=True),
    # The review that the message joined, because human agents handle the conversation.
    text("joined_review", nullable=True),
    # Whether the human agent who answered the joined review had seen this message.
    sa.Column("covered", sa.Boolean, nullable=False, server_default=sa.false()),
    # Whether the draft of the joined review is also based on this message.
    sa.Column("in_draft", sa.Boolean, nullable=False, server_default=sa.false()),
    # The review that stays open while the agent answers the message separately, because the message
    # concerns another topic.
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
    # The sweeper uses this index to find unanswered runs. A run is removed from it as soon as it
    # is answered.
    sa.Index(
        "ix_engine_runs_received", "received_at", postgresql_where=sa.text("status = 'received'")
    ),
    sa.Index(
        "ix_engine_runs_joined",
        "client_id",
        "joined_review",
        postgresql_where=sa.text("joined_review IS NOT NULL"),
    ),
    # The filters of the list of runs use these indexes.
    sa.Index(None, "client_id", "status", "id"),
    sa.Index(None, "client_id", "classification", "id"),
    sa.Index(None, "client_id", "playbook_id", "id"),
    sa.Index(None, "client_id", "handoff_reason", "id"),
    # This index serves lookups by run id without a client id.
    sa.Index(None, "id"),
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
    # The customer whose memory the conversation uses. An unverified visitor has no memory.
    text("memory_key", nullable=True),
    # The thread's settled facts: the order under discussion, the unanswered question, and the
    # language.
    json("thread", "{}"),
    # The action that the customer was asked to confirm. A "yes" consumes this proposal.
    sa.Column("proposal", JSONB, nullable=True),
    # When human agents took over the conversation. From then on they answer, and the AI agent does
    # not.
    time("handed_over_at", nullable=True),
    # The user who took over the conversation in the dashboard. Null after it is handed back.
    text("taken_by", nullable=True),
    time("taken_at", nullable=True),
    # When the conversation ended, after a period without messages. Its original `key` is then free
    # for the next conversation.
    time("ended_at", nullable=True),
    # When members closed the conversation, and when a snooze ends. The customer's next message
    # clears both.
    time("closed_at", nullable=True),
    time("snoozed_until", nullable=True),
    # When the customer's first message after the latest answer arrived. Null if the latest message
    # is an answer.
    time("waiting_since", nullable=True),
    # True if the agent deliberately left the latest message without an answer, as for an automatic
    # reply. The inbox uses the column only to skip such conversations quickly.
    sa.Column("answer_skipped", sa.Boolean, nullable=False, server_default=sa.false()),
    text("assignee", nullable=True),
    json("tags", "[]"),
    # The latest sentiment score, and whether it is in the critical range.
    sa.Column("sentiment", sa.Double, nullable=True),
    sa.Column("is_critical", sa.Boolean, nullable=False, server_default=sa.false()),
    time("created_at"),
    time("last_message_at"),
    sa.UniqueConstraint("client_id", "key"),
    sa.Index(None, "client_id", "memory_key", "last_message_at"),
    sa.Index(None, "client_id", "last_message_at", "id"),
    # A partial index suffices because users filter for taken-over conversations, which are few.
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
    # The list's filters by assignee, tags and status use these indexes.
    sa.Index(
        "ix_ai_conversations_assigned",
        "client_id",
        "assignee",
        "last_message_at",
        "id",
        postgresql_where=sa.text("assignee IS NOT NULL"),
    ),
    # The inbox's view of a member's own tickets uses these two indexes. Members have few open
    # tickets, and many closed ones.
    sa.Index(
        "ix_ai_conversations_assigned_open",
        "client_id",
        "assignee",
        "last_message_at",
        "id",
        postgresql_where=sa.text("assignee IS NOT NULL AND closed_at IS NULL"),
    ),
    sa.Index(
        "ix_ai_conversations_taken_open",
        "client_id",
        "taken_by",
        "last_message_at",
        "id",
        postgresql_where=sa.text("taken_at IS NOT NULL AND closed_at IS NULL"),
    ),
    sa.Index(
        "ix_ai_conversations_tagged",
        "client_id",
        "last_message_at",
        "id",
        postgresql_where=sa.text("tags <> '[]'"),
    ),
    sa.Index(
        "ix_ai_conversations_open",
        "client_id",
        "last_message_at",
        "id",
        postgresql_where=sa.text("closed_at IS NULL"),
    ),
    sa.Index(
        "ix_ai_conversations_snoozed",
        "client_id",
        "last_message_at",
        "id",
        postgresql_where=sa.text("snoozed_until IS NOT NULL"),
    ),
    sa.Index(
        "ix_ai_conversations_closed",
        "client_id",
        "last_message_at",
        "id",
        postgresql_where=sa.text("closed_at IS NOT NULL"),
    ),
    # The inbox uses this index to list the conversations that are waiting for an answer, longest
    # wait first. Conversations that were deliberately left unanswered accumulate, so they are
    # indexed separately.
    sa.Index(
        "ix_ai_conversations_unanswered",
        "client_id",
        "answer_skipped",
        "waiting_since",
        "id",
        postgresql_where=sa.text("waiting_since IS NOT NULL AND closed_at IS NULL"),
    ),
    # This index serves lookups by conversation id without a client id.
    sa.Index(None, "id"),
)

# The outcomes of a customer's earlier tickets, in all threads.
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
    # The event that the message belongs to. Null for a member's reply, which has `reply_id`
    # instead.
    text("event_id", nullable=True),
    text("reply_id", nullable=True),
    text("conversation_id", nullable=True),
    text("direction"),
    text("channel", nullable=True),
    # The address whose rate limit the message counts toward, as returned by `customer_key`.
    text("customer_key", nullable=True),
    # True if the author had not verified the address when the message arrived, or if the message
    # has no address.
    sa.Column("is_claim", sa.Boolean, nullable=False, server_default=sa.false()),
    # The address in the normalized event, as returned by `customer_key`, or an empty string. Null
    # before normalization and, for an earlier version's event, before the next sweep. For an email
    # from a contact form, it can differ from the column `customer_key`.
    text("normalized_key", nullable=True),
    text("author"),
    text("body"),
    time("created_at"),
    # The message's widget session, and its number in that session, starting at 1.
    text("widget_session_id", nullable=True),
    sa.Column("widget_number", sa.Integer, nullable=True),
    points_to("engine_events", "event_id"),
    points_to("ai_conversations", "conversation_id"),
    points_to("conversation_replies", "reply_id", ondelete="CASCADE"),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    # This index prevents a retried step from writing a reply twice.
    sa.Index(
        "ix_engine_messages_reply",
        "client_id",
        "reply_id",
        unique=True,
        postgresql_where=sa.text("reply_id IS NOT NULL"),
    ),
    # The gateway's limits use these indexes to count the latest messages from a client and from a
    # customer.
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
    # This index serves searches for a customer's messages.
    sa.Index(
        "ix_engine_messages_normalized",
        "client_id",
        "normalized_key",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound' AND normalized_key IS NOT NULL"),
    ),
    # The sweep uses this index to find messages that are not yet in the customer index.
    sa.Index(
        "ix_engine_messages_unindexed",
        "client_id",
        "id",
        postgresql_where=sa.text(
            "direction = 'inbound' AND normalized_key IS NULL AND conversation_id IS NOT NULL"
        ),
    ),
    sa.Index(
        "ix_engine_messages_widget_session",
        "client_id",
        "widget_session_id",
        "widget_number",
        unique=True,
        postgresql_where=sa.text("widget_session_id IS NOT NULL"),
    ),
    # The checks of the widget's share use this index to count visitors' messages.
    sa.Index(
        "ix_engine_messages_widget",
        "client_id",
        "created_at",
        postgresql_where=sa.text("direction = 'inbound' AND widget_session_id IS NOT NULL"),
    ),
    # An event has at most one inbound and one outbound message, so a retried step does not write a
    # message twice.
    sa.UniqueConstraint("client_id", "event_id", "direction"),
    sa.CheckConstraint("num_nonnulls(event_id, reply_id) = 1", name="origin"),
    sa.CheckConstraint("direction IN ('inbound', 'outbound')", name="direction"),
    sa.CheckConstraint("author IN ('customer', 'agent', 'human')", name="author"),
)

# Members' replies in conversations. A reply that was undone has no row.
conversation_replies: Final = sa.Table(
    "conversation_replies",
    metadata,
    *tenant_key(),
    text("conversation_id"),
    # The customer's message that the reply answers, and the message's run.
    text("event_id"),
    text("run_id"),
    # The run's step number under which the action ledger records the reply.
    sa.Column("step", sa.Integer, nullable=False),
    text("author"),
    # Whether the author wrote as a member of the client, and not as an operator or internal admin.
    sa.Column("by_member", sa.Boolean, server_default=sa.false(), nullable=False),
    text("body"),
    text("state"),
    text("error_code", nullable=True),
    time("created_at"),
    # The time until which the reply can be undone.
    time("send_at"),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "step"),
    points_to("ai_conversations", "conversation_id"),
    points_to("engine_events", "event_id"),
    points_to("engine_runs", "run_id"),
    sa.CheckConstraint(
        "state IN ('scheduled', 'sending', 'sent', 'failed', 'unknown')", name="state"
    ),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    sa.Index(None, "client_id", "event_id"),
    # The sweeper uses this index to find replies without a workflow.
    sa.Index(
        "ix_conversation_replies_unsent",
        "created_at",
        "id",
        postgresql_where=sa.text("state IN ('scheduled', 'sending')"),
    ),
    # This index serves lookups by reply id without a client id.
    sa.Index(None, "id"),
)

# Internal notes for teammates. A note is never sent, and the agent never reads it.
conversation_notes: Final = sa.Table(
    "conversation_notes",
    metadata,
    *tenant_key(),
    text("conversation_id"),
    # The customer's latest message when the note was written. The note is deleted together with
    # that message.
    text("event_id"),
    text("author"),
    text("body"),
    time("created_at"),
    points_to("ai_conversations", "conversation_id"),
    points_to("engine_events", "event_id"),
    sa.Index(None, "client_id", "conversation_id", "created_at"),
    sa.Index(None, "client_id", "event_id"),
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
    # The order's number as `folded_number` returns it. NULL in rows of earlier versions.
    text("order_number", nullable=True),
    text("customer_key", nullable=True),
    sa.Column("amount", sa.BigInteger, nullable=True),
    text("currency", nullable=True),
    # The reference that the provider returned for the executed action.
    text("reference", nullable=True),
    # The helpdesk ticket in which the action was executed.
    text("ticket_id", nullable=True),
    time("planned_at"),
    time("finished_at", nullable=True),
    sa.UniqueConstraint("client_id", "run_id", "step", "round"),
    points_to("engine_runs", "run_id"),
    sa.CheckConstraint("state IN ('planned', 'done', 'failed', 'unknown')", name="state"),
    # The refund totals per customer and per day, and the list of actions on an order, use this
    # index.
    sa.Index(
        "ix_action_ledger_money",
        "client_id",
        "planned_at",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    ),
    # This index finds the thread of a reply to one of the service's emails, if the reply contains
    # no other reference to the thread.
    sa.Index(
        "ix_action_ledger_mails",
        "client_id",
        "reference",
        postgresql_where=sa.text("action = 'reply_by_email'"),
    ),
    # Pruning uses this index to find erased customers' pseudonyms
    # (`domain/privacy/erased_customer.py`).
    sa.Index(
        "ix_action_ledger_pseudonyms",
        "planned_at",
        postgresql_where=sa.text("left(customer_key, 7) = 'erased:'"),
    ),
    # This index finds the service's own messages when a webhook reports them in a helpdesk ticket.
    sa.Index(
        "ix_action_ledger_ticket",
        "client_id",
        "integration_id",
        "ticket_id",
        postgresql_where=sa.text("ticket_id IS NOT NULL"),
    ),
    # This index serves the list of refunds on a customer's page.
    sa.Index(
        "ix_action_ledger_customer",
        "client_id",
        "customer_key",
        "planned_at",
        postgresql_where=sa.text("customer_key IS NOT NULL AND amount IS NOT NULL"),
    ),
    sa.Index(
        "ix_action_ledger_order",
        "client_id",
        "order_key",
        postgresql_where=sa.text("order_key IS NOT NULL AND state <> 'failed'"),
    ),
)

# Customer sentiment, with one row per message.
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

# A client's monthly spending on language models, in millionths of a US dollar.
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
