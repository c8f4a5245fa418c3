"""Duties: what a platform asks for and must be done. Its signature is the proof that it asks."""

from domain.core.ports import Sealer
from domain.inbound.meaning import Duty
from domain.inbound.performed import Performed
from domain.integrations.provider import Provider
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork


async def perform(
    work: UnitOfWork,
    actor: Actor,
    duty: Duty,
    *,
    webhook_id: str,
    integration_id: str,
    provider: Provider,
    sealer: Sealer,
) -> Performed:
    """Do what is asked, or say what people must do. Doing it twice changes nothing more.

    `webhook_id`: the key of its effects. `Performed.erase`: an erasure that its caller starts
    before the webhook counts as done. Raises RoleRequired, ClientNotFound.
    """
    raise NotImplementedError
