"""The tables of customers and of the words by which they are found."""

from typing import Final

import sqlalchemy as sa

from store.core.schema import metadata, points_to, tenant_key, text, time

# The customers whose messages the service has read, one row for each address.
customers: Final = sa.Table(
    "customers",
    metadata,
    *tenant_key(),
    # The customer's address, normalized as for the customer limit.
    text("key"),
    text("name", nullable=True),
    # Whether a message came from a sender who was verified to hold the address.
    sa.Column("is_verified", sa.Boolean, nullable=False),
    time("first_contact_at"),
    time("last_contact_at"),
    sa.UniqueConstraint("client_id", "key"),
    # For the list of customers, latest contact first.
    sa.Index(None, "client_id", "last_contact_at", "id"),
    # For lookups by customer id when the client is unknown.
    sa.Index(None, "id"),
)

# The words of customers' names and addresses, in lower case and without accents. The collation "C"
# lets a range of the primary key find all words with the same beginning.
customer_words: Final = sa.Table(
    "customer_words",
    metadata,
    sa.Column("client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True),
    sa.Column("word", sa.Text(collation="C"), primary_key=True),
    sa.Column("customer_id", sa.Text, primary_key=True),
    points_to("customers", "customer_id", ondelete="CASCADE"),
    # For the words of one customer.
    sa.Index(None, "client_id", "customer_id", "word"),
)
