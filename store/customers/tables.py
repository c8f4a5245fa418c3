"""The tables of customers and of the words by which they can be found."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, tenant_key, text, time

# Customers who sent the service a message, one row per address.
customers: Final = sa.Table(
    "customers",
    metadata,
    *tenant_key(),
    # The customer's address, as returned by `customer_key`.
    text("key"),
    text("name", nullable=True),
    # Whether the sender of at least one message from the address was verified.
    sa.Column("is_verified", sa.Boolean, nullable=False),
    time("first_contact_at"),
    time("last_contact_at"),
    sa.UniqueConstraint("client_id", "key"),
    # This index serves the list of customers, latest contact first.
    sa.Index(None, "client_id", "last_contact_at", "id"),
    # This index serves lookups by customer id without a client id.
    sa.Index(None, "id"),
)

# The words in customers' names and addresses, in lower case and without accents. With the collation
# "C", a range of the primary key finds all words with the same prefix.
customer_words: Final = sa.Table(
    "customer_words",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("word", sa.Text(collation="C"), primary_key=True),
    sa.Column("customer_id", sa.Text, primary_key=True),
    points_to("customers", "customer_id", ondelete="CASCADE"),
    # This index serves lookups of a customer's words.
    sa.Index(None, "client_id", "customer_id", "word"),
)
