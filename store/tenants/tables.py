"""The tables of users and clients, with their members, keys and settings."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from domain.tenants.answer_decision import LATEST_DECISION
from domain.tenants.disclosure import DisclosureStatus
from store.core.schema import json, metadata, tenant_key, text, time

users: Final = sa.Table(
    "users",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("email"),
    time("created_at"),
    time("verified_at", nullable=True),
    sa.UniqueConstraint("email"),
)

clients: Final = sa.Table(
    "clients",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("owner_user_id", sa.Text, sa.ForeignKey("users.id"), nullable=False, index=True),
    text("brand_name"),
    text("plan"),
    time("trial_ends_at", nullable=True),
    # The plan after a downgrade. A downgrade takes effect at the end of the month in which it is
    # requested.
    text("next_plan", nullable=True),
    time("next_plan_from", nullable=True),
    sa.Column("credits_balance", sa.BigInteger, nullable=False, server_default="0"),
    # The client's own monthly budget for language models, in millionths of a US dollar. If null,
    # the configured budget applies.
    sa.Column("brain_budget_micros", sa.BigInteger, nullable=True),
    time("created_at"),
    # When the erasure of the client started. From then on, nothing is admitted for the client
    # (`store/tenants/accounts.py`).
    time("closed_at", nullable=True),
    # When the client last lost an owner or admin. A change that loosens a limit is delayed for
    # another day after that time.
    time("manager_left_at", nullable=True),
    sa.CheckConstraint("plan IN ('free', 'starter', 'pro', 'enterprise')", name="plan"),
    sa.CheckConstraint("next_plan IN ('free', 'starter', 'pro', 'enterprise')", name="next_plan"),
    sa.CheckConstraint("(next_plan IS NULL) = (next_plan_from IS NULL)", name="next_plan_from"),
    sa.CheckConstraint("credits_balance >= 0", name="credits"),
    sa.CheckConstraint("brain_budget_micros >= 0", name="brain_budget"),
)

client_users: Final = sa.Table(
    "client_users",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.id"), primary_key=True),
    text("role"),
    time("created_at"),
    sa.CheckConstraint("role IN ('owner', 'admin', 'agent', 'viewer')", name="role"),
    sa.Index(None, "user_id", "created_at"),
)

api_keys: Final = sa.Table(
    "api_keys",
    metadata,
    *tenant_key(),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    text("prefix"),
    text("label"),
    sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
    time("created_at"),
    time("revoked_at", nullable=True),
    # The key's creator, as named in audit entries. Null for older keys.
    text("created_by", nullable=True),
    time("last_used_at", nullable=True),
    text("last_used_from", nullable=True),
    # The key's scopes. Null grants all scopes.
    sa.Column("scopes", sa.ARRAY(sa.Text), nullable=True),
    # Set for a key from the OAuth flow: the user who consented, and the OAuth client that holds the
    # key.
    text("user_id", nullable=True),
    text("oauth_client_id", nullable=True),
    # Whether the key's holder is allowed to vouch for a customer's address.
    sa.Column("vouches", sa.Boolean, nullable=False, server_default=sa.true()),
    # When the key's creator left the client. Cleared once the managers have been notified by email.
    time("notice_due_at", nullable=True),
    # This index serves lookups by key id without a client id.
    sa.Index(None, "id"),
)

# A client's settings. If a client has no row, the defaults apply.
client_settings: Final = sa.Table(
    "client_settings",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    # The merchant's own instructions for the language model.
    text("system_prompt", nullable=True),
    # The merchant's style guidance to the language model, as in `domain/tenants/guidance.py`.
    json("guidance", "{}"),
    json("branding", "{}"),
    # The widget key. It is public because pages that embed the widget contain it.
    text("widget_key", nullable=True),
    # Retention periods in days, by record class, that differ from `domain/privacy/retention.py`.
    json("retention", "{}"),
    # The mail servers whose Authentication-Results headers the client trusts.
    json("authserv_ids", "[]"),
    sa.Column("ask_rating", sa.Boolean, nullable=False, server_default=sa.false()),
    # Words chosen by the merchant. A message that contains one of them is always held for human
    # review.
    json("sensitive_words", "[]"),
    # The acknowledgement sent to a customer whose message is immediately held for human review, by
    # language.
    json("acknowledgement", "{}"),
    # The greeting and signature of answers, by language, if they differ from the defaults.
    json("frame", "{}"),
    # The AI disclosure below the agent's answers, by language, if it differs from the default.
    json("disclosure", "{}"),
    # "on", or the reason why the AI disclosure is switched off.
    sa.Column(
        "disclosure_status", sa.Text, nullable=False, server_default=DisclosureStatus.ON.value
    ),
    # Whether a change that loosens a limit takes effect only after a second manager's approval or
    # after one day.
    sa.Column("holds_loosening", sa.Boolean, nullable=False, server_default=sa.true()),
    # Whether answers that the embedded brain composes from knowledge are sent without a review.
    sa.Column("answers_from_knowledge", sa.Boolean, nullable=False, server_default=sa.true()),
    # The version of the decision whether such an answer is sent.
    sa.Column(
        "answer_decision", sa.SmallInteger, nullable=False, server_default=str(LATEST_DECISION)
    ),
    # The business hours and the target for the first answer, as in
    # `domain/tenants/business_hours.py`. Null for the defaults.
    sa.Column("business_hours", JSONB(none_as_null=True), nullable=True),
    time("stopped_at", nullable=True),
    text("stopped_by", nullable=True),
    time("updated_at"),
    sa.UniqueConstraint("widget_key"),
)

# The operators' stop of all clients' automation. The table's single row exists while the stop is
# active.
installation_stops: Final = sa.Table(
    "installation_stops",
    metadata,
    sa.Column("id", sa.Boolean, primary_key=True),
    time("stopped_at"),
    text("stopped_by"),
    sa.CheckConstraint("id", name="one"),
)

# Changes that loosen the agent's limits. A change takes effect after a second manager's approval,
# or after a delay.
loosenings: Final = sa.Table(
    "loosenings",
    metadata,
    *tenant_key(),
    text("state"),
    # The change to apply, in the form of `domain/playbooks/loosened.py`.
    sa.Column("change", JSONB, nullable=False),
    # The settings that are loosened, each with its old and new value.
    sa.Column("differences", JSONB, nullable=False),
    text("requested_by"),
    time("created_at"),
    time("takes_effect_at"),
    # The manager who approved or cancelled the change, or "time" if it was applied after the delay.
    text("decided_by", nullable=True),
    time("decided_at", nullable=True),
    text("error_code", nullable=True),
    # When the managers were notified of the change by email.
    time("notified_at", nullable=True),
    sa.CheckConstraint("state IN ('pending', 'applied', 'cancelled', 'failed')", name="state"),
    sa.CheckConstraint("(state = 'pending') = (decided_at IS NULL)", name="decided"),
    sa.Index("ix_loosenings_due", "takes_effect_at", postgresql_where=sa.text("state = 'pending'")),
    sa.Index(
        "ix_loosenings_unnotified", "created_at", postgresql_where=sa.text("notified_at IS NULL")
    ),
    # This index serves lookups by change id without a client id.
    sa.Index(None, "id"),
)
