"""Customers' attachments: small valid files, and a helper that stores some."""

import struct
import zlib
from typing import Final

from adapters.system import new_ulid, utc_now
from domain.core.attached_file import AttachedFile
from domain.core.ids import TenantId
from domain.intake.attachment import (
    Attachment,
)
from domain.intake.attachment_type import inspect
from store.core.database import Database
from store.intake.attachments import AttachmentRepository


def png(width: int = 2, height: int = 2, *, padding: int = 0) -> bytes:
    """Return a complete image. `padding` are the bytes in a chunk that no reader examines."""

    def piece(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    rows = zlib.compress(b"".join(b"\x00" + b"\xff\x00\x00" * width for _ in range(min(height, 4))))
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            piece(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            piece(b"skIp", bytes(padding)) if padding else b"",
            piece(b"IDAT", rows),
            piece(b"IEND", b""),
        )
    )


def pdf(inside: bytes = b"") -> bytes:
    """Return a page without text. `inside`: content of its catalog."""
    return (
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R " + inside + b" >>\nendobj\n"
        b"2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n"
        b"trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"
    )


PHOTO: Final = AttachedFile("colis.png", "image/png", png())
INVOICE: Final = AttachedFile("facture.pdf", "application/pdf", pdf())
PROGRAM: Final = AttachedFile("facture.pdf", "application/pdf", b"MZ\x90\x00" + bytes(60))


async def keep_attachments(
    database: Database,
    tenant: TenantId,
    event_id: str,
    *files: AttachedFile,
    is_unproved: bool = False,
) -> tuple[Attachment, ...]:
    """Store attachments as admission does."""
    async with database.tenant(tenant) as connection:
        return await AttachmentRepository(connection, tenant).store(
            event_id, inspect(files), is_unproved=is_unproved, now=utc_now(), new_id=new_ulid
        )
