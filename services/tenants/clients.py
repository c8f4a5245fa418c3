"""Operators' use cases for clients. A client is a merchant's account."""

from dataclasses import dataclass

from domain.core.errors import InvalidInput
from domain.tenants.actor import OPERATORS, Actor
from domain.tenants.client import Plan
from domain.tenants.user import check_user_id
from services.core.unit_of_work import UnitOfWork
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository


@dataclass(frozen=True, slots=True)
class NewClient:
    """A client to create. `brand` is the name shown to customers. `owner_id` is a new owner's id at
    another identity provider."""

    brand: str
    owner_email: str
    plan: Plan = Plan.FREE
    owner_id: str | None = None


async def open_client(work: UnitOfWork, actor: Actor, new: NewClient) -> str:
    """Create the unit of work's client and, for an unknown address, its owner. Return the owner's
    id.

    The unit of work spans clients. Raises RoleRequired, InvalidInput.
    """
    actor.require(OPERATORS)
    if not new.brand.strip() or "@" not in new.owner_email:
        raise InvalidInput("a brand and the owner's email address are required")
    if new.owner_id is not None:
        members = MemberRepository(work.connection)
        await members.ensure_user(check_user_id(new.owner_id), new.owner_email, work.now)
    owner = await ClientRepository(work.connection).create(
        client_id=work.tenant,
        user_id=work.new_id(),
        brand=new.brand.strip(),
        plan=new.plan,
        owner_email=new.owner_email,
        now=work.now,
    )
    work.note(actor, "client created", owner_user_id=owner)
    return owner


async def give_brain_budget(work: UnitOfWork, actor: Actor, micros: int | None) -> None:
    """Set the client's monthly budget for language models, in millionths of a US dollar, or None
    for the default. Beyond it, the embedded brain answers. Raises RoleRequired, ClientNotFound."""
    actor.require(OPERATORS)
    await ClientRepository(work.connection).set_brain_budget(work.tenant, micros)
    work.note(actor, "brain budget set", micros="" if micros is None else str(micros))
