"""Uploads of files for members' replies, for JSON routes and pages."""

from api.resources import Resources
from domain.core.attached_file import AttachedFile
from domain.core.ids import TenantId
from domain.intake.attachment_type import Inspected
from domain.tenants.actor import Actor
from services.reviews.reply_files import check_upload


async def inspected_upload(
    resources: Resources, tenant: TenantId, actor: Actor, conversation_id: str, file: AttachedFile
) -> Inspected:
    """Return the inspected file, if the member may upload it. A client's files are inspected one at
    a time. Raises RoleRequired, AttachmentRefused, CallerBusy."""
    async with resources.database.reading(tenant) as connection:
        await check_upload(
            connection, tenant, actor, conversation_id, size=len(file.data), now=resources.now()
        )
    (found,) = await resources.files.inspect(tenant, (file,))
    return found
