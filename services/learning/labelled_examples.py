"""Deletion of labelled examples."""

from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.learning.labelled_examples import LabelledExampleRepository
from store.learning.own_heads import OwnHeadRepository


async def delete_example(work: UnitOfWork, actor: Actor, example_id: str) -> None:
    """Delete a labelled example permanently, with all versions of the client's own classifier head.

    Raises RoleRequired, ExampleNotFound.
    """
    actor.require(MANAGERS)
    await LabelledExampleRepository(work.connection, work.tenant).delete(example_id)
    await OwnHeadRepository(work.connection, work.tenant).remove()
    work.note(actor, "labelled example deleted", example_id=example_id)
