"""The sender address for a client's mail. Callers pass encrypted (sealed) secrets, which are stored
unchanged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.core.ports import MailSender, SmtpServer
from domain.identity.code import DAY, TRIES
from domain.integrations.client_sender import (
    CODE_LIFETIME,
    CODES_A_DAY,
    Security,
    ShownSender,
    ShownServer,
)
from domain.integrations.errors import MailSenderNotFound
from store.core.repository import TenantRepository
from store.integrations.tables import mail_senders

_SENDER: Final = sa.select(mail_senders).where(
    mail_senders.c.client_id == sa.bindparam("tenant"), mail_senders.c.address.is_not(None)
)
_NO_CODE: Final[Mapping[str, object]] = {
    "code_id": None,
    "code_digest": None,
    "sealed_code": None,
    "code_tries_left": None,
    "code_language": None,
    "code_created_at": None,
}
_NOTHING: Final[Mapping[str, object]] = {
    "address": None,
    "reply_to": None,
    "signature": "",
    "smtp_host": None,
    "smtp_port": None,
    "smtp_security": None,
    "smtp_username": None,
    "sealed_smtp_password": None,
    "verified_at": None,
    "last_error": None,
    "last_error_at": None,
}


@dataclass(frozen=True, slots=True)
class NewSenderCode:
    """A new code that verifies a sender address. `language` is the language of the email that
    contains the code, fr or en."""

    id: str
    digest: bytes = field(repr=False)
    sealed_code: str = field(repr=False)
    language: str


@dataclass(frozen=True, slots=True)
class SenderCodeToMail:
    """A valid code that has not been sent yet, with the sender that it verifies. The email with
    the code goes to the sender's own address, and is sent in the same way as the sender's later
    mail.
    """

    id: str
    sender: MailSender
    sealed_code: str = field(repr=False)
    language: str


@dataclass(frozen=True, slots=True)
class TriedSenderCode:
    """A valid code that verifies a sender, after one attempt has been used."""

    id: str
    digest: bytes = field(repr=False)


class MailSenderRepository(TenantRepository):
    async def verified(self) -> MailSender | None:
        """Return the client's sender if it is verified, so that it may send email to customers.
        Otherwise return None, and the service's own sender is used."""
        row = await self._row(_SENDER.where(mail_senders.c.verified_at.is_not(None)))
        return None if row is None else self._sender(row)

    async def shown(self) -> ShownSender:
        """Return the public form of the client's sender. Raises MailSenderNotFound."""
        row = await self._row(_SENDER)
        if row is None:
            raise MailSenderNotFound
        return _shown(row)

    async def lock(self) -> MailSender | None:
        """Lock the client's sender until the transaction ends, and return it, verified or not. The
        caller must hold the client's lock because a missing row cannot be locked."""
        row = await self._row(_SENDER.with_for_update())
        return None if row is None else self._sender(row)

    async def put(self, sender: MailSender, now: datetime) -> None:
        """Store the client's sender, replacing the previous one. Unless it is `verified`, the
        verification, last error and pending code are removed."""
        server = sender.server
        values: dict[str, object] = {
            "address": sender.address,
            "reply_to": sender.reply_to,
            "signature": sender.signature,
            "smtp_host": server and server.host,
            "smtp_port": server and server.port,
            "smtp_security": server and (Security.STARTTLS if server.starttls else Security.TLS),
            "smtp_username": server and server.username,
            "sealed_smtp_password": server and server.sealed_password,
            "updated_at": now,
        }
        if not sender.verified:
            values |= {"verified_at": None, "last_error": None, "last_error_at": None, **_NO_CODE}
        await self._connection.execute(
            insert(mail_senders)
            .values(client_id=self._tenant, **values)
            .on_conflict_do_update(index_elements=[mail_senders.c.client_id], set_=values)
        )

    async def give_code(self, code: NewSenderCode, now: datetime) -> bool:
        """Replace the sender's code. Return False and change nothing at the daily limit, which
        starts with the first code."""
        sender = mail_senders.c
        same_day = sender.codes_since > now - DAY
        changed = await self._connection.execute(
            sa.update(mail_senders)
            .where(
                sender.client_id == self._tenant,
                sa.func.coalesce(sa.not_(same_day), True) | (sender.codes_made < CODES_A_DAY),
            )
            .values(
                code_id=code.id,
                code_digest=code.digest,
                sealed_code=code.sealed_code,
                code_tries_left=TRIES,
                code_language=code.language,
                code_created_at=now,
                codes_made=sa.case((same_day, sender.codes_made + 1), else_=1),
                codes_since=sa.case((same_day, sender.codes_since), else_=now),
            )
        )
        return changed.rowcount == 1

    async def to_mail(self, code_id: str, now: datetime) -> SenderCodeToMail | None:
        """Return the sender's code if it still has to be sent, or None."""
        row = await self._row(
            _SENDER.where(
                mail_senders.c.code_id == code_id,
                mail_senders.c.sealed_code.is_not(None),
                mail_senders.c.code_created_at > now - CODE_LIFETIME,
                mail_senders.c.verified_at.is_(None),
            )
        )
        if row is None:
            return None
        return SenderCodeToMail(row.code_id, self._sender(row), row.sealed_code, row.code_language)

    async def mailed(self, code_id: str) -> None:
        """Erase the readable form of the sender's code, which was emailed or will never be
        emailed."""
        await self._change(mail_senders.c.code_id == code_id, sealed_code=None)

    async def take_try(self, now: datetime) -> TriedSenderCode | None:
        """Use one attempt for the sender's valid code, and return the code. Return None if there is
        no valid code."""
        sender = mail_senders.c
        tried = await self._connection.execute(
            sa.update(mail_senders)
            .where(
                sender.client_id == self._tenant,
                sender.code_tries_left > 0,
                sender.code_created_at > now - CODE_LIFETIME,
            )
            .values(code_tries_left=sender.code_tries_left - 1)
            .returning(sender.code_id, sender.code_digest)
        )
        row = tried.one_or_none()
        return None if row is None else TriedSenderCode(row.code_id, row.code_digest)

    async def verify(self, code_id: str, now: datetime) -> None:
        """Mark the sender's code as used and the sender as verified. The sender may then send mail
        to customers."""
        await self._change(
            mail_senders.c.code_id == code_id, verified_at=now, updated_at=now, **_NO_CODE
        )

    async def remove(self, now: datetime) -> bool:
        """Erase the client's sender and its secrets, but keep the count of codes. Return False if
        there is no sender."""
        return await self._change(
            mail_senders.c.address.is_not(None), updated_at=now, **_NOTHING, **_NO_CODE
        )

    async def note_failure(self, address: str, code: str, now: datetime) -> None:
        """Record that a mail server rejected an email from the client's sender. `code` is a stable
        error code."""
        await self._change(mail_senders.c.address == address, last_error=code, last_error_at=now)

    async def note_success(self, address: str) -> None:
        """Clear the sender's last error because a mail server accepted an email."""
        await self._change(
            (mail_senders.c.address == address) & mail_senders.c.last_error.is_not(None),
            last_error=None,
            last_error_at=None,
        )

    async def _change(self, which: sa.ColumnElement[bool], **values: object) -> bool:
        changed = await self._connection.execute(
            sa.update(mail_senders)
            .where(mail_senders.c.client_id == self._tenant, which)
            .values(**values)
        )
        return changed.rowcount == 1

    async def _row(self, query: sa.Select[Any]) -> "sa.Row[*tuple[Any, ...]] | None":
        found = await self._connection.execute(query, {"tenant": self._tenant})
        row: sa.Row[*tuple[Any, ...]] | None = found.one_or_none()
        return row

    def _sender(self, row: "sa.Row[*tuple[Any, ...]]") -> MailSender:
        return MailSender(
            client_id=self._tenant,
            address=row.address,
            reply_to=row.reply_to,
            signature=row.signature,
            server=None if row.smtp_host is None else _server(row),
            verified=row.verified_at is not None,
        )


def _server(row: "sa.Row[*tuple[Any, ...]]") -> SmtpServer:
    return SmtpServer(
        host=row.smtp_host,
        port=row.smtp_port,
        starttls=row.smtp_security == Security.STARTTLS,
        username=row.smtp_username,
        sealed_password=row.sealed_smtp_password,
    )


def _shown(row: "sa.Row[*tuple[Any, ...]]") -> ShownSender:
    server: ShownServer | None = None
    if row.smtp_host is not None:
        server = ShownServer(
            host=row.smtp_host,
            port=row.smtp_port,
            security=Security(row.smtp_security),
            username=row.smtp_username,
        )
    return ShownSender(
        address=row.address,
        reply_to=row.reply_to,
        signature=row.signature,
        smtp=server,
        verified=row.verified_at is not None,
        verified_at=row.verified_at,
        last_error=row.last_error,
        last_error_at=row.last_error_at,
        updated_at=row.updated_at,
    )
