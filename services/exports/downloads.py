"""The audit entry of an export."""

from domain.exports.export import ExportFormat
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork


def note_export(work: UnitOfWork, actor: Actor, form: ExportFormat) -> None:
    """Write the audit entry of an export of all of the client's data, before its first byte is
    sent. `actor`: the caller, whose role the caller of this function has checked."""
    work.note(actor, "data exported", format=form.value)
