"""Erasure: remove the data of a whole client or of one customer, and issue a certificate of the
removal."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.ports import Sealer


class ErasureScope(StrEnum):
    """The scope of an erasure: a whole `tenant` with all its data, or one `customer`."""

    TENANT = "tenant"
    CUSTOMER = "customer"


class ErasureStanding(BaseModel):
    """A client's usage and credits at the start of the erasure, for the final bill. `tickets` is by
    month."""

    model_config = ConfigDict(frozen=True)

    tickets: dict[str, int] = {}
    credits_balance: int = 0


class Certificate(BaseModel):
    """The certificate of an erasure: what was erased, when, and at whose request.

    It outlives the erased data, so it contains no names. `removed` counts the removed or emptied
    records by class. `finished_at` is None while the erasure runs. `standing` is set only for a
    whole client.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    client_id: str
    scope: ErasureScope
    requested_by: str
    removed: dict[str, int]
    standing: ErasureStanding | None = None
    started_at: datetime
    finished_at: datetime | None = None

    @property
    def total(self) -> int:
        return sum(self.removed.values())

    @property
    def kept(self) -> Mapping[str, str]:
        """The data that this kind of erasure does not remove, each item with the reason."""
        return KEPT[self.scope]


EXECUTIONS: Final = "workflow executions"
"""The record class in certificates for workflow executions removed from Temporal."""

KEPT: Final[Mapping[ErasureScope, Mapping[str, str]]] = {
    ErasureScope.TENANT: {
        "this certificate": "proof of the erasure; it holds ids and numbers",
        "the audit log": "who changed what; it holds ids and digests, and names nobody",
        "mails, refunds and webhooks that were sent": "they are with those who received them",
        "backups of the database": "until they are overwritten; erase again after a restore",
    },
    ErasureScope.CUSTOMER: {
        "events and runs without their words": "usage and daily metrics count them",
        "usage and credits": "what the client is billed by; they name no customer",
        "amounts, orders and references of actions": "accounting of money that was moved",
        "a keyed digest of the address on refunds of the last 30 days": "they count toward limits",
        "this certificate": "proof of the erasure; it holds a keyed digest of the address",
        "the audit log": "who changed what; it holds ids and digests, and names no customer",
        "mails, refunds and webhooks that were sent": "they are with those who received them",
        "backups of the database": "until they are overwritten; erase again after a restore",
    },
}


_SESSION: Final = "session:"


def session_subject(session_id: str) -> str:
    """Return the erasure subject for a widget visitor without a known address. For all other
    customers, the subject is the address key."""
    return f"{_SESSION}{session_id}"


def session_of(subject: str) -> str | None:
    """Return the session id in an erasure's subject, or None if the subject is an address key."""
    return subject.removeprefix(_SESSION) if subject.startswith(_SESSION) else None


def subject_digests(sealer: Sealer, client_id: str, subject: str) -> tuple[bytes, ...]:
    """Return the digests under which a certificate may store the erased customer, newest key first.

    New certificates use the first. The last one is unkeyed, for certificates issued before the key
    existed.
    """
    named = f"{client_id}/{subject}"
    return (*sealer.digests(named), hashlib.sha256(named.encode()).digest())
