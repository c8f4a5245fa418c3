"""Accepted webhooks. A delivery that arrives several times is stored as a single row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.core.ids import first_ulid
from domain.inbound.errors import InboundBusy
from domain.inbound.inbound_webhook import Identity, Outcome, WebhookKind, WebhookState
from domain.inbound.kept_bytes import (
    CONNECTION_PART,
    CUT_TO,
    DAY_BYTES_WITHOUT_PLAN,
    DAY_ROWS,
    DAY_ROWS_WITHOUT_PLAN,
    QUEUE,
    ROOM,
    counted_with,
    size_class,
)
from domain.integrations.mail_allowance import is_accountable
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.inbound.full_days import DayRoom, FullDays
from store.inbound.inbound_queues import InboundQueues, lock_queues
from store.inbound.tables import inbound_webhooks
from store.tenants.accounts import AccountRepository

_row: Final = inbound_webhooks.c
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NewWebhookRow:
    """A webhook delivery to store. `id` is used if it is new. `headers` contains the headers that
    the parser needs, in lower case. `unreadable` is a parsing error's code, or None. `is_signed`
    means that a secret verified it. `vouches` means that the endpoint could then vouch for
    customers' addresses."""

    id: str
    integration_id: str
    provider: Provider
    identity: Identity
    kind: WebhookKind
    body_digest: bytes
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    unreadable: str | None = None
    is_signed: bool = False
    vouches: bool = False


class KeptAs(StrEnum):
    """The storage outcome of a delivery. `known`: it was stored before. `conflict`: its key was
    used with a different body. `left`: its topic is ignored and the daily limit is reached."""

    NEW = "new"
    KNOWN = "known"
    CONFLICT = "conflict"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class KeptWebhook:
    """The result of storing a delivery. `id` is its row, possibly an older one. If `starts` is
    true, the delivery is the new head of its queue, and the caller must start its workflow after
    the commit."""

    id: str
    was: KeptAs
    starts: bool


class WebhookArrivals(TenantRepository):
    async def keep(
        self, arrived: NewWebhookRow, now: datetime, full_days: FullDays | None = None
    ) -> KeptWebhook:
        """Store a delivery once. Return how it was stored, and whether its processing starts now.
        Raises InboundBusy.

        Locks the client's inbound queues until the transaction ends, so that no webhook is queued
        behind one that has already ended.
        """
        await lock_queues(self._connection, self._tenant)
        full_days = full_days or FullDays()
        state = await self._state(arrived)
        size = len(arrived.body)
        if state is WebhookState.DONE:
            if not await self._has_day_room(arrived, now, full_days):
                return KeptWebhook(arrived.id, KeptAs.LEFT, starts=False)
            body, cut_from = arrived.body[:CUT_TO], size if size > CUT_TO else None
        else:
            body, cut_from = arrived.body, None
            await self._require_room(arrived, now, full_days)
        is_same = _row.body_digest == sa.bindparam("presented", arrived.body_digest)
        kept = await self._connection.execute(
            insert(inbound_webhooks)
            .values(
                client_id=self._tenant,
                id=arrived.id,
                integration_id=arrived.integration_id,
                provider=arrived.provider,
                dedup_key=arrived.identity.dedup_key,
                body_digest=arrived.body_digest,
                topic=arrived.identity.topic,
                kind=arrived.kind,
                headers=dict(arrived.headers),
                is_signed=arrived.is_signed,
                vouches=arrived.vouches,
                body=body,
                cut_from=cut_from,
                state=state,
                outcome=Outcome.IGNORED if state is WebhookState.DONE else None,
                reason=arrived.unreadable or ("topic" if state is WebhookState.DONE else None),
                created_at=now,
                finished_at=now if state in (WebhookState.DONE, WebhookState.FAILED) else None,
            )
            .on_conflict_do_update(
                index_elements=[
                    _row.client_id,
                    _row.provider,
                    _row.integration_id,
                    _row.dedup_key,
                ],
                set_={
                    "duplicates": _row.duplicates + sa.case((is_same, 1), else_=0),
                    "conflicts": _row.conflicts + sa.case((is_same, 0), else_=1),
                },
            )
            .returning(_row.id, is_same.label("is_same"))
        )
        row = kept.one()
        if row.id == arrived.id:
            return KeptWebhook(row.id, KeptAs.NEW, starts=state is WebhookState.WORKING)
        return KeptWebhook(row.id, KeptAs.KNOWN if row.is_same else KeptAs.CONFLICT, starts=False)

    async def _require_room(
        self, arrived: NewWebhookRow, now: datetime, full_days: FullDays
    ) -> None:
        """Raise InboundBusy if a limit on stored webhooks has been reached. A delivery that was
        stored before is always accepted."""
        has_room = await self._has_day_room(arrived, now, full_days) and await self._has_room(
            arrived
        )
        if has_room or await self._connection.scalar(
            _IS_KNOWN,
            {
                "tenant": self._tenant,
                "provider": arrived.provider,
                "integration_id": arrived.integration_id,
                "dedup_key": arrived.identity.dedup_key,
            },
        ):
            return
        raise InboundBusy

    async def _has_day_room(
        self, arrived: NewWebhookRow, now: datetime, full_days: FullDays
    ) -> bool:
        room = DayRoom(self._tenant, arrived.integration_id, counted_with(arrived.kind))
        if full_days.known(room, now):
            return False
        has_room = await self._counted_day_room(room, now)
        if not has_room:
            full_days.note(room, now)
        return has_room

    async def _counted_day_room(self, room: DayRoom, now: datetime) -> bool:
        part = DAY_ROWS_WITHOUT_PLAN // CONNECTION_PART, DAY_BYTES_WITHOUT_PLAN // CONNECTION_PART
        if await self._is_below(*part, room, now):
            # The client's total is below the limit of a single connection, so no limit is reached.
            return True
        subscription = await AccountRepository(self._connection, self._tenant).subscription()
        rows, size = DAY_ROWS_WITHOUT_PLAN, DAY_BYTES_WITHOUT_PLAN
        if is_accountable(subscription, now):
            rows, size = DAY_ROWS, DAY_ROWS * CUT_TO
        of_connection = rows // CONNECTION_PART, size // CONNECTION_PART
        return await self._is_below(rows, size, room, now) and await self._is_below(
            *of_connection, room, now, integration_id=room.integration_id
        )

    async def _is_below(
        self,
        rows: int,
        size: int,
        room: DayRoom,
        now: datetime,
        *,
        integration_id: str | None = None,
    ) -> bool:
        """Return True if the webhooks stored in the last 24 hours are below both limits, `rows` and
        `size` (in bytes). `integration_id`: count only this connection's webhooks."""
        found = await self._connection.execute(
            _KEPT_OF_THE_DAY,
            {
                "tenant": self._tenant,
                # Ids are generated on arrival, so the primary key can bound the period.
                "since": first_ulid(now - _DAY),
                "kinds": sorted(room.kinds),
                "integration": integration_id,
                "at_most": rows,
                "cut_to": CUT_TO,
            },
        )
        kept = found.one()
        return bool(kept.rows < rows and kept.bytes < size)

    async def _has_room(self, arrived: NewWebhookRow) -> bool:
        if arrived.kind is WebhookKind.TICKET:
            queue = {"tenant": self._tenant, "at_most": QUEUE}
            if await self._connection.scalar(_QUEUED, queue) == QUEUE:
                return False
        size = size_class(len(arrived.body))
        if size is None:
            return True
        room = ROOM - len(arrived.body)
        values = {"tenant": self._tenant, "above": size.above, "up_to": size.up_to}
        if await self._connection.scalar(_HELD, values) <= room:
            return True
        # Truncate the bodies of failed webhooks first because their processing has already been
        # attempted. The other webhooks still need their bodies.
        await self._connection.execute(_CUT_FAILED, {**values, "cut_to": CUT_TO})
        return bool(await self._connection.scalar(_HELD, values) <= room)

    async def _state(self, arrived: NewWebhookRow) -> WebhookState:
        """Return the initial state of a webhook: failed if it cannot be parsed, done if its topic
        is ignored. Otherwise it is working if its queue is idle, or else queued."""
        if arrived.unreadable is not None:
            return WebhookState.FAILED
        if arrived.kind is WebhookKind.IGNORED:
            return WebhookState.DONE
        is_idle = await InboundQueues(self._connection, self._tenant).is_idle(arrived.kind)
        return WebhookState.WORKING if is_idle else WebhookState.QUEUED


_IS_KNOWN: Final = sa.text("""
    SELECT EXISTS (SELECT FROM inbound_webhooks
                   WHERE client_id = :tenant AND provider = :provider
                     AND integration_id = :integration_id AND dedup_key = :dedup_key)
""")
# PostgreSQL returns the length of a body without reading the body.
_KEPT_OF_THE_DAY: Final = sa.text("""
    SELECT count(*) AS rows, coalesce(sum(least(size, :cut_to)), 0) AS bytes
    FROM (SELECT octet_length(body) AS size FROM inbound_webhooks
          WHERE client_id = :tenant AND kind = ANY(:kinds) AND id >= :since
            AND (CAST(:integration AS text) IS NULL OR integration_id = :integration)
          LIMIT :at_most) AS counted
""")
_QUEUED: Final = sa.text("""
    SELECT count(*) FROM (SELECT FROM inbound_webhooks
                          WHERE client_id = :tenant AND kind = 'ticket' AND state = 'queued'
                          LIMIT :at_most) AS counted
""")
# The conditions on size and state must match those of the index ix_inbound_webhooks_large.
_OF_CLASS: Final = f"""
    client_id = :tenant AND octet_length(body) > {CUT_TO} AND state <> 'done'
    AND octet_length(body) > :above AND octet_length(body) <= :up_to
"""
_HELD: Final = sa.text(f"""
    SELECT coalesce(sum(octet_length(body)), 0) FROM inbound_webhooks WHERE {_OF_CLASS}
""")  # noqa: S608 - constants
_CUT_FAILED: Final = sa.text(f"""
    UPDATE inbound_webhooks SET cut_from = octet_length(body), body = substring(body, 1, :cut_to)
    WHERE {_OF_CLASS} AND state = 'failed'
""")  # noqa: S608
