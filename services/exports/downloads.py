"""The audit entry of an export."""

from domain.exports.export import ExportFormat
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork


def note_export(work: UnitOfWork, actor: Actor, form: ExportFormat) -> None:
    """Record in the audit log that all of the client's data is exported. Call this function before
    the first byte is sent. The actor's role must already have been checked."""
    work.note(actor, "data exported", format=form.value)
