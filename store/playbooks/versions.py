"""Playbook versions, with author, time and note. A stored version never changes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.agent.rulebook import Rulebook
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import MAX_PLAYBOOKS, PlaybookSpec
from store.core.repository import TenantRepository
from store.playbooks.tables import playbook_versions, playbooks


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """A version of a playbook. `spec` has no active flag, which belongs to the playbook. `author`
    is the name in the audit log, or None."""

    version: int
    spec: PlaybookSpec
    created_at: datetime
    author: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class CurrentVersion:
    """A playbook's current version. `author`: as in `VersionEntry`."""

    playbook_id: str
    is_active: bool
    version: int
    name: str
    created_at: datetime
    author: str | None
    note: str | None


_VERSIONS: Final = (
    sa.select(
        playbook_versions.c.version,
        playbook_versions.c.name,
        playbook_versions.c.event_type,
        playbook_versions.c.threshold,
        playbook_versions.c.rulebook,
        playbook_versions.c.created_at,
        playbook_versions.c.author,
        playbook_versions.c.note,
    )
    .join(
        playbooks,
        sa.and_(
            playbooks.c.client_id == playbook_versions.c.client_id,
            playbooks.c.id == playbook_versions.c.playbook_id,
        ),
    )
    .where(
        playbook_versions.c.client_id == sa.bindparam("tenant"),
        playbook_versions.c.playbook_id == sa.bindparam("playbook"),
        playbooks.c.deleted_at.is_(None),
    )
)
_PAGE: Final = (
    _VERSIONS.where(
        sa.or_(
            sa.bindparam("before", type_=sa.Integer).is_(None),
            playbook_versions.c.version < sa.bindparam("before", type_=sa.Integer),
        )
    )
    .order_by(playbook_versions.c.version.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
)
_ONE: Final = _VERSIONS.where(playbook_versions.c.version == sa.bindparam("version"))

_CURRENT: Final = (
    sa.select(
        playbooks.c.id.label("playbook_id"),
        playbooks.c.is_active,
        playbook_versions.c.version,
        playbook_versions.c.name,
        playbook_versions.c.created_at,
        playbook_versions.c.author,
        playbook_versions.c.note,
    )
    .join(
        playbook_versions,
        sa.and_(
            playbook_versions.c.client_id == playbooks.c.client_id,
            playbook_versions.c.playbook_id == playbooks.c.id,
            playbook_versions.c.version == playbooks.c.version,
        ),
    )
    .where(playbooks.c.client_id == sa.bindparam("tenant"), playbooks.c.deleted_at.is_(None))
    .order_by(playbook_versions.c.created_at.desc(), playbooks.c.id)
    .limit(MAX_PLAYBOOKS)
)
_LATEST: Final = (
    sa.select(playbooks.c.id)
    .join(
        playbook_versions,
        sa.and_(
            playbook_versions.c.client_id == playbooks.c.client_id,
            playbook_versions.c.playbook_id == playbooks.c.id,
            playbook_versions.c.version == playbooks.c.version,
        ),
    )
    .where(playbooks.c.client_id == sa.bindparam("tenant"), playbooks.c.deleted_at.is_(None))
    .order_by(playbook_versions.c.created_at.desc(), playbooks.c.id)
    .limit(sa.bindparam("limit", type_=sa.Integer))
)


class PlaybookVersions(TenantRepository):
    async def changed_last(self, limit: int) -> tuple[str, ...]:
        """Return the ids of the playbooks with the newest current version, newest first."""
        values = {"tenant": self._tenant, "limit": limit}
        return tuple(await self._connection.scalars(_LATEST, values))

    async def current(self) -> tuple[CurrentVersion, ...]:
        """Return each playbook's current version, newest version first."""
        rows = await self._connection.execute(_CURRENT, {"tenant": self._tenant})
        return tuple(CurrentVersion(*row) for row in rows)

    async def page(
        self, playbook_id: str, *, before: int | None, limit: int
    ) -> tuple[VersionEntry, ...]:
        """Return at most `limit` versions of a playbook with version numbers below `before`, newest
        first. Return an empty list for a deleted playbook."""
        values = {
            "tenant": self._tenant,
            "playbook": playbook_id,
            "before": before,
            "limit": limit,
        }
        return tuple(map(_entry, await self._connection.execute(_PAGE, values)))

    async def read(self, playbook_id: str, version: int) -> VersionEntry:
        """Return a version. Raises PlaybookNotFound, including for a deleted playbook."""
        values = {"tenant": self._tenant, "playbook": playbook_id, "version": version}
        return _entry(await self._one(_ONE, values, PlaybookNotFound(playbook_id)))


def _entry(row: "sa.Row[*tuple[Any, ...]]") -> VersionEntry:
    spec = PlaybookSpec(
        name=row.name,
        event_type=row.event_type,
        threshold=row.threshold,
        rulebook=Rulebook.model_validate(row.rulebook),
    )
    return VersionEntry(row.version, spec, row.created_at, row.author, row.note)
