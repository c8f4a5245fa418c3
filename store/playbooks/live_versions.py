"""The playbook versions that answer events or have answered events."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from domain.agent.rulebook import Rulebook
from domain.playbooks.playbook import Playbook, PlaybookEntry
from store.core.repository import TenantRepository
from store.playbooks.tables import playbook_versions


class LiveVersions(TenantRepository):
    async def had(self, entry: PlaybookEntry) -> bool:
        """Return True if any version of the playbook with the same event type, threshold and rules
        as `entry` has ever answered events."""
        wanted = entry.playbook
        found = await self._connection.execute(
            sa.select(playbook_versions.c.rulebook).where(
                playbook_versions.c.client_id == self._tenant,
                playbook_versions.c.playbook_id == wanted.id,
                playbook_versions.c.event_type == wanted.event_type,
                playbook_versions.c.threshold == wanted.threshold,
                playbook_versions.c.live_at.is_not(None),
            )
        )
        # Policy rules are compared after parsing because older stored rules may lack newer
        # defaults.
        return any(Rulebook.model_validate(row.rulebook) == entry.rulebook for row in found)

    async def is_live(self, playbook: Playbook) -> bool:
        """Return True if exactly this playbook version has answered events."""
        return bool(
            await self._connection.scalar(
                sa.select(sa.true()).where(
                    *self._is(playbook), playbook_versions.c.live_at.is_not(None)
                )
            )
        )

    async def go_live(
        self, playbook: Playbook, now: datetime, *, overridden_because: str | None = None
    ) -> None:
        """Record that this playbook version answers events from now on. An earlier start time is
        kept.

        `overridden_because` is appended to the version's note if the publish gate was overridden.
        """
        values: dict[str, object] = {"live_at": sa.func.coalesce(playbook_versions.c.live_at, now)}
        if overridden_because is not None:
            note = sa.func.concat_ws("\n", playbook_versions.c.note, overridden_because)
            values["note"] = note
        await self._connection.execute(
            sa.update(playbook_versions).where(*self._is(playbook)).values(**values)
        )

    async def stop(self, stopped: Iterable[Playbook], now: datetime) -> None:
        """Record that these playbook versions do not answer events any more."""
        for playbook in stopped:
            await self._connection.execute(
                sa.update(playbook_versions).where(*self._is(playbook)).values(stopped_at=now)
            )

    async def stopped_since(self, since: datetime) -> tuple[PlaybookEntry, ...]:
        """Return the playbook versions that stopped answering events after `since`, latest first,
        as active. If several versions stopped together, the version with precedence comes first."""
        version = playbook_versions.c
        rows = await self._connection.execute(
            sa.select(
                version.playbook_id.label("id"),
                *(version[name] for name in ("version", "name", "event_type", "threshold")),
                version.rulebook,
            )
            .where(version.client_id == self._tenant, version.stopped_at > since)
            .order_by(
                version.stopped_at.desc(),
                version.event_type.endswith("*"),
                sa.func.length(version.event_type).desc(),
                version.created_at,
            )
        )
        return tuple(
            PlaybookEntry(
                playbook=Playbook.model_validate(row, from_attributes=True),
                is_active=True,
                rulebook=Rulebook.model_validate(row.rulebook),
            )
            for row in rows
        )

    def _is(self, playbook: Playbook) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            playbook_versions.c.client_id == self._tenant,
            playbook_versions.c.playbook_id == playbook.id,
            playbook_versions.c.version == playbook.version,
        )
