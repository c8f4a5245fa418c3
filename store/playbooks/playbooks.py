"""Playbooks and their versions. Versions never change, because runs refer to them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from pydantic import JsonValue

from domain.agent.procedure import Procedure
from domain.agent.rulebook import DuringReview, Rulebook
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import Playbook, PlaybookEntry, match
from domain.tenants.errors import ClientNotFound
from store.core.repository import TenantRepository, owner_of
from store.playbooks.tables import playbook_versions, playbooks
from store.tenants.tables import clients


@dataclass(frozen=True, slots=True)
class Made:
    """The origin of a playbook version: its author, as named in audit entries, and the author's
    note, if any."""

    author: str | None = None
    note: str | None = None


NO_RULES: Final = Rulebook()
BY_NOBODY: Final = Made()

# The current version of each active playbook. The policy rules are omitted because admission does
# not need them.
_CURRENT: Final = (
    sa.select(
        playbooks.c.id,
        playbooks.c.version,
        playbook_versions.c.name,
        playbook_versions.c.event_type,
        playbook_versions.c.threshold,
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
    .order_by(playbooks.c.created_at, playbooks.c.id)
)
_ACTIVE: Final = _CURRENT.where(playbooks.c.is_active)
_ONE: Final = _CURRENT.where(playbooks.c.id == sa.bindparam("playbook"))
_ALL: Final = _CURRENT.add_columns(playbooks.c.is_active, playbook_versions.c.rulebook)
_ENTRY: Final = _ALL.where(playbooks.c.id == sa.bindparam("playbook"))
_RULEBOOK: Final = sa.select(playbook_versions.c.rulebook).where(
    playbook_versions.c.client_id == sa.bindparam("tenant"),
    playbook_versions.c.playbook_id == sa.bindparam("playbook"),
    playbook_versions.c.version == sa.bindparam("version"),
)
_KNOWN_CLIENT: Final = sa.select(clients.c.id).where(
    clients.c.id == sa.bindparam("tenant"), clients.c.closed_at.is_(None)
)


class PlaybookRepository(TenantRepository):
    async def create(
        self,
        playbook: Playbook,
        *,
        active: bool,
        now: datetime,
        rulebook: Rulebook = NO_RULES,
        made: Made = BY_NOBODY,
    ) -> None:
        await self._connection.execute(
            sa.insert(playbooks).values(
                client_id=self._tenant,
                id=playbook.id,
                version=playbook.version,
                is_active=active,
                created_at=now,
            )
        )
        await self._add_version(playbook, rulebook, made, now)

    async def update(
        self, playbook: Playbook, *, now: datetime, rulebook: Rulebook, made: Made = BY_NOBODY
    ) -> Playbook:
        """Store a playbook as the next version, and return it. The version number in `playbook` is
        ignored. Running runs keep their version. Raises PlaybookNotFound."""
        version = await self._connection.scalar(
            self._changing(playbook.id)
            .values(version=playbooks.c.version + 1)
            .returning(playbooks.c.version)
        )
        if version is None:
            raise PlaybookNotFound(playbook.id)
        numbered = playbook.model_copy(update={"version": version})
        await self._add_version(numbered, rulebook, made, now)
        return numbered

    async def switch(self, playbook_id: str, *, active: bool) -> Playbook | None:
        """Activate or deactivate a playbook, and return it, or None if nothing changes. Raises
        PlaybookNotFound."""
        changed = await self._connection.execute(
            self._changing(playbook_id)
            .where(playbooks.c.is_active != active)
            .values(is_active=active)
        )
        row = await self._one(
            _ONE, {"tenant": self._tenant, "playbook": playbook_id}, PlaybookNotFound(playbook_id)
        )
        return Playbook.model_validate(row, from_attributes=True) if changed.rowcount else None

    async def delete(self, playbook_id: str, now: datetime) -> None:
        """Deactivate a playbook and hide it, but keep its versions. Raises PlaybookNotFound."""
        deleted = await self._connection.execute(
            self._changing(playbook_id).values(is_active=False, deleted_at=now)
        )
        if not deleted.rowcount:
            raise PlaybookNotFound(playbook_id)

    async def active(self) -> list[Playbook]:
        """Return the active playbooks in their current version, oldest first."""
        rows = await self._connection.execute(_ACTIVE, {"tenant": self._tenant})
        return [Playbook.model_validate(row, from_attributes=True) for row in rows]

    async def wanting(self, event_type: str) -> Playbook | None:
        """Return the active playbook that answers events of this type, or None. Raises
        ClientNotFound."""
        if await self._connection.scalar(_KNOWN_CLIENT, {"tenant": self._tenant}) is None:
            raise ClientNotFound(self._tenant)
        return match(await self.active(), event_type)

    async def all(self) -> tuple[PlaybookEntry, ...]:
        """Return all playbooks, each in its current version, oldest first."""
        rows = await self._connection.execute(_ALL, {"tenant": self._tenant})
        return tuple(_entry(row) for row in rows)

    async def read(self, playbook_id: str) -> PlaybookEntry:
        """Return a playbook in its current version. Raises PlaybookNotFound."""
        return _entry(
            await self._one(
                _ENTRY,
                {"tenant": self._tenant, "playbook": playbook_id},
                PlaybookNotFound(playbook_id),
            )
        )

    async def rulebook(self, playbook_id: str, version: int) -> Rulebook:
        """Return the policy rules of a playbook version. Raises PlaybookNotFound."""
        found = await self._connection.scalar(
            _RULEBOOK, {"tenant": self._tenant, "playbook": playbook_id, "version": version}
        )
        if found is None:
            raise PlaybookNotFound(playbook_id)
        return Rulebook.model_validate(found)

    def _changing(self, playbook_id: str) -> sa.Update:
        return sa.update(playbooks).where(
            playbooks.c.client_id == self._tenant,
            playbooks.c.id == playbook_id,
            playbooks.c.deleted_at.is_(None),
        )

    async def changes_since(self, since: datetime, at_most: int) -> int:
        """Return the number of playbook changes since `since`: new versions plus reported
        activations, including changes to deleted playbooks. Each of the two counts stops at
        `at_most`."""
        values = {"tenant": self._tenant, "since": since, "at_most": at_most}
        return int(await self._connection.scalar(_CHANGED_SINCE, values) or 0)

    async def version_bytes(self) -> int:
        """Return the total size of the client's stored playbook versions, in bytes."""
        return int(await self._connection.scalar(_VERSION_BYTES, {"tenant": self._tenant}) or 0)

    async def _add_version(
        self, playbook: Playbook, rulebook: Rulebook, made: Made, now: datetime
    ) -> None:
        await self._connection.execute(
            sa.insert(playbook_versions).values(
                client_id=self._tenant,
                playbook_id=playbook.id,
                version=playbook.version,
                name=playbook.name,
                event_type=playbook.event_type,
                threshold=playbook.threshold,
                rulebook=_stored(rulebook),
                created_at=now,
                author=made.author,
                note=made.note,
            )
        )


# The query gets the size of each value without reading it. The constant accounts for the rest of
# the row.
_VERSION_BYTES: Final = sa.text("""
    SELECT sum(pg_column_size(rulebook) + pg_column_size(name) + pg_column_size(event_type)
               + coalesce(pg_column_size(note), 0) + 150)
    FROM playbook_versions WHERE client_id = :tenant
""")
_CHANGED_SINCE: Final = sa.text("""
    SELECT (SELECT count(*) FROM (SELECT FROM playbook_versions
                                  WHERE client_id = :tenant AND created_at > :since
                                  LIMIT :at_most) AS made)
         + (SELECT count(*) FROM (SELECT FROM outbox
                                  WHERE client_id = :tenant AND event = 'playbook.activated'
                                    AND created_at > :since
                                  LIMIT :at_most) AS counted)
""")


def _stored(rulebook: Rulebook) -> dict[str, JsonValue]:
    """Return the policy rules in stored form, omitting newer settings that have their default
    value. Older versions of this code reject unknown settings, so a newer setting is stored only if
    it is used."""
    left_out = set() if rulebook.shadow else {"shadow"}
    if rulebook.during_review == DuringReview():
        left_out.add("during_review")
    if rulebook.procedure == Procedure():
        left_out.add("procedure")
    return rulebook.model_dump(mode="json", exclude=left_out)


def _entry(row: "sa.Row[*tuple[Any, ...]]") -> PlaybookEntry:
    return PlaybookEntry(
        playbook=Playbook.model_validate(row, from_attributes=True),
        is_active=row.is_active,
        rulebook=Rulebook.model_validate(row.rulebook),
    )


client_of: Final = owner_of(playbooks, PlaybookNotFound)
