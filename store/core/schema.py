"""The base of all table definitions: one metadata object, and the columns that many tables
share."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    """Return a text column, NOT NULL by default."""
    return sa.Column(name, sa.Text, nullable=nullable)


def time(name: str, *, nullable: bool = False) -> "sa.Column[datetime]":
    """Return a timestamp column with time zone, NOT NULL by default."""
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def json(name: str, default: str) -> "sa.Column[object]":
    """Return a JSONB column, NOT NULL. `default` is the default value, as JSON."""
    return sa.Column(name, JSONB, nullable=False, server_default=sa.text(f"'{default}'::jsonb"))


def tenant_key() -> tuple["sa.Column[str]", "sa.Column[str]"]:
    """Return the columns client_id and id, which together form the primary key."""
    client_id: sa.Column[str] = sa.Column(
        "client_id", sa.Text, sa.ForeignKey("clients.id"), primary_key=True
    )
    return client_id, sa.Column("id", sa.Text, primary_key=True)


def points_to(table: str, column: str, *, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    """Return a foreign key from `column` to the id of a row in `table`. Both rows must belong to
    the same client."""
    return sa.ForeignKeyConstraint(
        ["client_id", column], [f"{table}.client_id", f"{table}.id"], ondelete=ondelete
    )
