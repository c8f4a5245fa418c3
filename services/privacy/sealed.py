"""Re-encrypt the sealed values of all clients after the key has been rotated."""

from domain.core.ports import Sealer
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.privacy.sealed import Resealed, reseal


async def reseal_everything(work: UnitOfWork, actor: Actor, sealer: Sealer) -> Resealed:
    """Re-encrypt every sealed value with the current key of `sealer`, so that older keys can be
    removed. Return the counts.

    `work` must span all clients. Values that no key decrypts stay unchanged. Raises RoleRequired.
    """
    actor.require(OPERATORS)
    done = await reseal(work.connection, lambda sealed: sealer.seal(sealer.unseal(sealed)))
    work.note(actor, "resealed", resealed=str(done.resealed), unreadable=str(done.unreadable))
    return done
