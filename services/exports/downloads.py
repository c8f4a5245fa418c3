"""The audit entry of an export."""

from sqlalchemy.exc import DBAPIError

from domain.core.ids import TenantId
from domain.exports.errors import ExportNotAudited
from domain.exports.export import ExportFormat
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork


async def record_export(
    units: UnitsOfWork, tenant: TenantId, actor: Actor, form: ExportFormat
) -> None:
    """Record in the audit log that all of the client's data is exported, before the first byte is
    sent. The caller has checked the actor's role.

    Raises ExportNotAudited or EngineUnavailable if the entry cannot be written. Nothing must be
    exported then.
    """
    try:
        async with units.of(tenant) as work:
            work.note(actor, "data exported", format=form.value)
    except DBAPIError as error:
        raise ExportNotAudited from error
