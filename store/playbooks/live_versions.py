"""The playbook versions that answer events or have answered events before."""

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
        # Policy rules are compared after parsing, because older stored rules may lack newer
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

        `overridden_because`: the reason for overriding the publish gate. It is appended to the
        version's note.
        """
        values: dict[str, object] = {"live_at": sa.func.coalesce(playbook_versions.c.live_at, now)}
        if overridden_because is not None:
            note = sa.func.concat_ws("\n", playbook_versions.c.note, overridden_because)
            values["note"] = note
        await self._connection.execute(
            sa.update(playbook_versions).where(*self._is(playbook)).values(**values)
        )

    def _is(self, playbook: Playbook) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            playbook_versions.c.client_id == self._tenant,
            playbook_versions.c.playbook_id == playbook.id,
            playbook_versions.c.version == playbook.version,
        )
