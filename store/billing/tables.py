"""The tables of clients' usage and payments."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, tenant_key, text, time

credit_ledger: Final = sa.Table(
    "credit_ledger",
    metadata,
    *tenant_key(),
    sa.Column("amount", sa.BigInteger, nullable=False),
    text("reason"),
    # The event of the ticket for which the credit was used.
    text("event_id", nullable=True),
    # The event of the ticket whose credit was returned.
    text("returned_event_id", nullable=True),
    time("created_at"),
    sa.UniqueConstraint("client_id", "event_id"),
    sa.CheckConstraint("amount <> 0", name="amount"),
)

_PERIOD: Final = r"period ~ '^\d{4}-(0[1-9]|1[0-2])$'"

usage_counters: Final = sa.Table(
    "usage_counters",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("tickets_used", sa.BigInteger, nullable=False),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("tickets_used >= 0", name="tickets_used"),
)

# One row per ticket. The counter for a month equals the number of tickets in that month that were
# not returned.
usage_ledger: Final = sa.Table(
    "usage_ledger",
    metadata,
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("event_id", sa.Text, primary_key=True),
    text("period"),
    text("paid_by"),
    time("created_at"),
    # When the ticket was returned. A ticket is returned if neither the brain nor the executor ran
    # for it.
    time("returned_at", nullable=True),
    points_to("engine_events", "event_id"),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("paid_by IN ('quota', 'credit')", name="paid_by"),
    sa.Index(None, "client_id", "period"),
)

thresholds_sent: Final = sa.Table(
    "thresholds_sent",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("threshold", sa.Integer, primary_key=True),
    sa.Column("tickets_used", sa.BigInteger, nullable=False),
    sa.Column("tickets_limit", sa.BigInteger, nullable=False),
    sa.Column("credits_balance", sa.BigInteger, nullable=False),
    time("created_at"),
    sa.CheckConstraint(_PERIOD, name="period"),
    sa.CheckConstraint("threshold IN (80, 100)", name="threshold"),
)

# Clients' purchases. `id` is also the idempotency key sent to the payment provider.
checkouts: Final = sa.Table(
    "checkouts",
    metadata,
    *tenant_key(),
    text("plan", nullable=True),
    sa.Column("credits", sa.BigInteger, nullable=True),
    # Amounts in minor units of the currency: the amount due now, and the monthly amount that
    # applies from `renews_at` onward.
    sa.Column("amount", sa.BigInteger, nullable=False),
    text("currency"),
    sa.Column("monthly", sa.BigInteger, nullable=True),
    time("renews_at", nullable=True),
    # The checkout whose plan was being billed monthly when this checkout was created.
    text("replaces", nullable=True),
    text("customer_id", nullable=True),
    text("state"),
    text("url", nullable=True),
    text("session_id", nullable=True),
    text("subscription_id", nullable=True),
    text("renewal", nullable=True),
    # The last downgrade that was reported to the payment provider.
    text("choice", nullable=True),
    time("created_at"),
    sa.CheckConstraint("(plan IS NULL) <> (credits IS NULL)", name="bought"),
    sa.CheckConstraint("plan IN ('starter', 'pro', 'enterprise')", name="plan"),
    sa.CheckConstraint("credits > 0", name="credits"),
    sa.CheckConstraint("amount >= 0", name="amount"),
    sa.CheckConstraint("state IN ('asked', 'open', 'pending', 'paid', 'failed')", name="state"),
    sa.CheckConstraint("renewal IN ('active', 'replaced', 'ended')", name="renewal"),
    # A client has at most one plan with monthly billing.
    sa.Index(
        "uq_checkouts_active",
        "client_id",
        unique=True,
        postgresql_where=sa.text("renewal = 'active'"),
    ),
    # This index serves lookups by checkout id without a client id.
    sa.Index(None, "id"),
)

# Events from the payment provider, each stored once with its outcome. Some events do not belong to
# a client.
payment_events: Final = sa.Table(
    "payment_events",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    text("type"),
    text("client_id", nullable=True),
    text("checkout_id", nullable=True),
    sa.Column("amount", sa.BigInteger, nullable=True),
    text("currency", nullable=True),
    text("state"),
    text("problem", nullable=True),
    time("created_at"),
    time("received_at"),
    sa.CheckConstraint("state IN ('applied', 'noted', 'people')", name="state"),
    sa.CheckConstraint("(state = 'people') = (problem IS NOT NULL)", name="problem"),
    sa.Index(None, "client_id"),
    sa.Index(
        "ix_payment_events_people", "received_at", postgresql_where=sa.text("state = 'people'")
    ),
)
