"""Management of a client's API keys."""

from dataclasses import dataclass, field

from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.api_key import MAX_ACTIVE, check_label, new_key
from domain.tenants.errors import TooManyKeys
from domain.tenants.loosening import HeldTrust
from services.core.unit_of_work import UnitOfWork
from services.tenants.loosenings import withhold
from services.tenants.manager_now import require_manager_now
from store.tenants.accounts import AccountRepository
from store.tenants.keys import KeyEntry, KeyRepository


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new API key. `text` is the key itself, which is shown once and not stored."""

    entry: KeyEntry
    text: str = field(repr=False)

    @property
    def id(self) -> str:
        """The id of the key."""
        return self.entry.id


async def create_key(work: UnitOfWork, actor: Actor, label: str, random: bytes) -> MadeKey:
    """Create an API key from KEY_BYTES random bytes. `label` is the key's purpose.

    If loosening changes must wait, the key can vouch for customers only after approval or a delay
    (`services/tenants/loosenings.py`). Raises RoleRequired, InvalidLabel, ClientNotFound,
    TooManyKeys, TooManyLoosenings.
    """
    actor.require(MANAGERS)
    label = check_label(label)
    text, material = new_key(random)
    key_id = work.new_id()
    # The lock keeps concurrent requests from exceeding the limit, and detects whether the creator
    # has just left the client. The new key would otherwise appear in no notification.
    await AccountRepository(work.connection, work.tenant).lock()
    await require_manager_now(work, actor)
    keys = KeyRepository(work.connection)
    if await keys.active(work.tenant) >= MAX_ACTIVE:
        raise TooManyKeys(MAX_ACTIVE)
    trust = HeldTrust(use="key", id=key_id)
    waits = await withhold(work, actor, trust, trust.credential)
    await keys.create(
        key_id=key_id,
        client_id=work.tenant,
        label=label,
        material=material,
        now=work.now,
        created_by=actor.known_as,
        vouches=not waits,
    )
    work.note(actor, "key created", key_id=key_id)
    return MadeKey(await keys.read(work.tenant, key_id), text)


async def rename_key(work: UnitOfWork, actor: Actor, key_id: str, label: str) -> KeyEntry:
    """Change an API key's label, even if the key is revoked. Raises RoleRequired, InvalidLabel,
    KeyNotFound."""
    actor.require(MANAGERS)
    keys = KeyRepository(work.connection)
    await keys.rename(work.tenant, key_id, check_label(label))
    work.note(actor, "key renamed", key_id=key_id)
    return await keys.read(work.tenant, key_id)


async def revoke_key(work: UnitOfWork, actor: Actor, key_id: str) -> None:
    """Revoke an API key immediately and permanently. Idempotent. Raises RoleRequired,
    KeyNotFound."""
    actor.require(MANAGERS)
    await KeyRepository(work.connection).revoke(key_id, work.now)
    work.note(actor, "key revoked", key_id=key_id)
