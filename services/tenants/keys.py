"""What people do with a client's API keys."""

from dataclasses import dataclass, field

from domain.core.errors import InvalidInput
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.api_key import new_key
from services.core.unit_of_work import UnitOfWork
from store.tenants.clients import ClientRepository
from store.tenants.keys import KeyRepository


@dataclass(frozen=True, slots=True)
class MadeKey:
    """`text` is the key itself: it is shown once, and kept nowhere."""

    id: str
    text: str = field(repr=False)


async def create_key(work: UnitOfWork, actor: Actor, label: str, random: bytes) -> MadeKey:
    """Make a key from KEY_BYTES random bytes. `label`: what it is for.

    Raises RoleRequired, InvalidInput without a label, ClientNotFound.
    """
    actor.require(MANAGERS)
    if not label.strip():
        raise InvalidInput("a label is needed")
    text, material = new_key(random)
    made = MadeKey(work.new_id(), text)
    await ClientRepository(work.connection).brand_name(work.tenant)
    await KeyRepository(work.connection).create(
        key_id=made.id, client_id=work.tenant, label=label.strip(), material=material, now=work.now
    )
    work.note(actor, "key created", key_id=made.id)
    return made


async def revoke_key(work: UnitOfWork, actor: Actor, key_id: str) -> None:
    """At once and for good; revoking again changes nothing. Raises RoleRequired, KeyNotFound."""
    actor.require(MANAGERS)
    await KeyRepository(work.connection).revoke(key_id, work.now)
    work.note(actor, "key revoked", key_id=key_id)
