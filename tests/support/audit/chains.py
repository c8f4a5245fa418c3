"""Audit chains, and manipulations by a database owner."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import psycopg

from domain.audit.chain import START, Anchor, ChainHead, ChainLink, ChainWalk, Fault, chained
from domain.audit.entry import Note
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from tests.support.core.postgres import as_owner

CLIENT = "01K0000000000000000000000C"
WHEN = datetime(2026, 11, 22, 12, tzinfo=UTC)
ANNA = Actor.person("anna", Role.ADMIN, network="192.0.2.0/24")


def chain_of(length: int, *, client_id: str = CLIENT) -> tuple[ChainLink, ...]:
    """Return a valid chain, with one second between entries."""
    links: list[ChainLink] = []
    head = START
    for number in range(1, length + 1):
        note = Note(ANNA, "key created", {"key_id": f"key-{number}"})
        at, entry_id = WHEN + timedelta(seconds=number), f"entry-{number}".__str__
        links += chained(head, client_id, [note], at, entry_id)
        head = links[-1].head
    return tuple(links)


def head_of(links: Sequence[ChainLink]) -> ChainHead:
    return links[-1].head if links else START


def anchor_of(link: ChainLink) -> Anchor:
    return Anchor(link.entry.client_id, link.entry.seq, link.hash)


def faults_in(
    links: Sequence[ChainLink], head: ChainHead | None, *anchors: ChainLink
) -> list[Fault]:
    """Return the findings of a verification. `anchors`: links whose positions were anchored while
    the chain was valid."""
    walk = ChainWalk(CLIENT, [anchor_of(one) for one in anchors])
    return [*walk.follow(links), *walk.end(head)]


def tamper(database_url: str, *statements: str) -> None:
    """Make a change that only a superuser can make, with triggers disabled."""
    with psycopg.connect(as_owner(database_url)) as connection:
        connection.execute("SET session_replication_role = replica")
        for statement in statements:
            connection.execute(statement)
