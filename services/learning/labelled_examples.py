"""Delete a client's labelled examples."""

from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.learning.labelled_examples import LabelledExampleRepository


async def delete_example(work: UnitOfWork, actor: Actor, example_id: str) -> None:
    """Delete an example permanently. Raises RoleRequired, ExampleNotFound."""
    actor.require(MANAGERS)
    await LabelledExampleRepository(work.connection, work.tenant).delete(example_id)
    work.note(actor, "labelled example deleted", example_id=example_id)
