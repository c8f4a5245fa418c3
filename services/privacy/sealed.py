"""Re-encrypt all clients' sealed values when the key changes."""

from domain.core.ports import Sealer
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.privacy.sealed import Resealed, reseal


async def reseal_everything(work: UnitOfWork, actor: Actor, sealer: Sealer) -> Resealed:
    """Re-encrypt every value with the current key of `sealer`, so that older keys can be removed.
    Raises RoleRequired. `work` is on the rows of all clients. A value that no key opens stays as it
    is, and is counted."""
    actor.require(OPERATORS)
    done = await reseal(work.connection, lambda sealed: sealer.seal(sealer.unseal(sealed)))
    work.note(actor, "resealed", resealed=str(done.resealed), unreadable=str(done.unreadable))
    return done
