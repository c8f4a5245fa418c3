"""What people change of a client's playbooks, and the telling of those that come on.

Both in the caller's transaction: a merchant's systems hear of each time a playbook comes on, once.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.playbooks.merge import ImportOutcome, PlaybookChange, compare
from domain.playbooks.playbook import Playbook, PlaybookSpec
from domain.webhooks.outbound_event import PlaybookActivated
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.accounts import AccountRepository
from store.webhooks.outbox import Outbox


class PlaybookChanges:
    """`actor`: who changes them, as merchants' systems are told.

    `deliveries`: ids of those that are to be sent once the transaction is committed.
    """

    def __init__(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        *,
        actor: str,
        now: datetime,
        new_id: NewId,
    ) -> None:
        self._playbooks = PlaybookRepository(connection, tenant)
        self._accounts = AccountRepository(connection, tenant)
        self._outbox = Outbox(connection, tenant)
        self._actor = actor
        self._now = now
        self._new_id = new_id
        self.deliveries: tuple[str, ...] = ()

    async def preview(self, specs: Sequence[PlaybookSpec]) -> tuple[PlaybookChange, ...]:
        """What `bring_in` would do. The lock keeps a name from being given twice meanwhile.

        Raises ClientNotFound, and InvalidInput if a name is not of one playbook.
        """
        await self._accounts.lock()
        return compare(await self._playbooks.all(), specs, self._new_id)

    async def bring_in(self, specs: Sequence[PlaybookSpec]) -> tuple[PlaybookChange, ...]:
        """Make the playbooks be as `specs` say, by name; others stay. Raises as `preview`."""
        changes = await self.preview(specs)
        for change in changes:
            await self._store(change)
        return changes

    async def create(self, spec: PlaybookSpec) -> Playbook:
        """Make one playbook. Raises ClientNotFound, and InvalidInput if its name is taken."""
        (change,) = await self.preview([spec])
        if change.outcome is not ImportOutcome.CREATED:
            raise InvalidInput(f"playbook {spec.name}: there is one of this name")
        await self._store(change)
        return change.entry.playbook

    async def switch(self, playbook_id: str, *, active: bool) -> None:
        """Turn a playbook on or off; one that is so already stays so. Raises PlaybookNotFound."""
        switched = await self._playbooks.switch(playbook_id, active=active)
        if switched is not None and active:
            await self._tell_activated(switched)

    async def _store(self, change: PlaybookChange) -> None:
        playbook, active = change.entry.playbook, change.entry.is_active
        rulebook = change.entry.rulebook
        if change.outcome is ImportOutcome.UNCHANGED:
            return
        if change.outcome is ImportOutcome.CREATED:
            await self._playbooks.create(playbook, active=active, now=self._now, rulebook=rulebook)
            if active:
                await self._tell_activated(playbook)
            return
        if change.outcome is ImportOutcome.CHANGED:
            await self._playbooks.update(playbook, now=self._now, rulebook=rulebook)
        await self.switch(playbook.id, active=active)

    async def _tell_activated(self, playbook: Playbook) -> None:
        """Under an id of its own: the same version may go off and come on again."""
        self.deliveries += await self._outbox.add(
            PlaybookActivated(
                playbook_id=playbook.id,
                name=playbook.name,
                version=playbook.version,
                event_type=playbook.event_type,
                actor=self._actor,
            ),
            dedup_key=self._new_id(),
            now=self._now,
            new_id=self._new_id,
        )
