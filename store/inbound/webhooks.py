"""Webhooks as they are taken: one row for each delivery, however often it comes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.inbound.inbound_webhook import Identity, Outcome, WebhookKind, WebhookState
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.inbound.lanes import LaneRepository, lock_lanes
from store.inbound.tables import inbound_webhooks

_row: Final = inbound_webhooks.c


@dataclass(frozen=True, slots=True)
class NewWebhookRow:
    """A delivery to be kept. `id`: of its row, where it is new. `headers`: those that reading
    needs, by their names in lower case. `unreadable`: the stable code of why it cannot be read;
    then it is kept as failed."""

    id: str
    integration_id: str
    provider: Provider
    identity: Identity
    kind: WebhookKind
    body_digest: bytes
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    unreadable: str | None = None


class KeptAs(StrEnum):
    """`known`: the same delivery came before. `conflict`: its name came before with another body;
    nothing of this one is kept."""

    NEW = "new"
    KNOWN = "known"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class KeptWebhook:
    """`id`: of the delivery's row, which may have been there before. `starts`: it is new and its
    turn has come: its workflow must be started after the commit."""

    id: str
    was: KeptAs
    starts: bool


class WebhookArrivals(TenantRepository):
    async def keep(self, arrived: NewWebhookRow, now: datetime) -> KeptWebhook:
        """Store a delivery once. Returns whether its work begins now.

        Takes the lock of the client's lanes until the transaction ends: a webhook that comes
        meanwhile is queued behind this one, and none is queued behind one that has ended.
        """
        await lock_lanes(self._connection, self._tenant)
        state = await self._state(arrived)
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
                body=arrived.body,
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

    async def _state(self, arrived: NewWebhookRow) -> WebhookState:
        """What a new one begins as: at work where its lane is idle, else behind the others."""
        if arrived.unreadable is not None:
            return WebhookState.FAILED
        if arrived.kind is WebhookKind.IGNORED:
            return WebhookState.DONE
        is_idle = await LaneRepository(self._connection, self._tenant).is_idle(arrived.kind)
        return WebhookState.WORKING if is_idle else WebhookState.QUEUED
