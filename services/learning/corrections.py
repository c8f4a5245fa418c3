"""What people do with corrections: they accept them, in part or whole, or dismiss them."""

from domain.learning.correction import CorrectionLesson, CorrectionRecord, CorrectionState
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.learning.corrections import CorrectionRepository


async def accept_correction(
    work: UnitOfWork, actor: Actor, correction_id: str, lesson: CorrectionLesson
) -> CorrectionRecord:
    """Make the case and the content that the lesson holds, and keep the message as a labelled
    example; all of it or nothing, once.

    Raises RoleRequired, CorrectionNotFound, CorrectionDecided, TooManyExamples, and what adding the
    case and adding or changing the content raises.
    """
    raise NotImplementedError


async def dismiss_correction(work: UnitOfWork, actor: Actor, correction_id: str) -> None:
    """Learn nothing from it. Raises RoleRequired, CorrectionNotFound, CorrectionDecided."""
    actor.require(MANAGERS)
    await CorrectionRepository(work.connection, work.tenant).decide(
        correction_id, CorrectionState.DISMISSED, actor.known_as, work.now
    )
    work.note(actor, "correction dismissed", correction_id=correction_id)
