"""Management of the sender of a client's emails, which must be verified by an emailed code.

The code is sent through the same server as later emails. It proves that the server sends email, and
that the address receives it.
"""

from dataclasses import dataclass, field, replace

from domain.core.ids import TenantId
from domain.core.ports import MailSender, Sealer, SmtpServer
from domain.identity.code import code_digest, is_code
from domain.integrations.client_sender import (
    Security,
    ShownSender,
    WantedSender,
    WantedServer,
    checked_sender,
    code_name,
    same_way,
    seal_password,
    security_of,
)
from domain.integrations.errors import (
    InvalidMailSender,
    MailSenderNotFound,
    MailSenderVerified,
    TooManySenderCodes,
)
from domain.integrations.ports import MailServers
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.errors import RoleRequired
from domain.tenants.four_eyes import is_staff
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.integrations.mail_senders import MailSenderRepository, NewSenderCode
from store.tenants.accounts import AccountRepository


@dataclass(frozen=True, slots=True)
class DrawnCode:
    """A new code that verifies a sender, as text. `language` is the language of the email, fr or
    en."""

    text: str = field(repr=False)
    language: str


@dataclass(frozen=True, slots=True)
class StoredSender:
    """A stored sender. `code_id` is the id of the code to send, or None if the sender stays
    verified."""

    shown: ShownSender
    code_id: str | None


async def set_mail_sender(
    units: UnitsOfWork,
    actor: Actor,
    tenant: TenantId,
    wanted: WantedSender,
    code: DrawnCode,
    *,
    sealer: Sealer,
    servers: MailServers,
    service_address: str,
) -> StoredSender:
    """Store the client's sender, replacing the previous one. Until it is verified, the service's
    own sender is used.

    A verified sender with the same address and server stays verified. The caller sends the code
    after the commit (`TemporalEngine.mail`). Raises RoleRequired, InvalidMailSender,
    TooManySenderCodes, ClientNotFound.
    """
    actor.require(MANAGERS)
    checked = checked_sender(wanted, service_address)
    if checked.server is not None:
        security_of(checked.server)
        host = await servers.check(tenant, checked.server.host, checked.server.port)
        checked = replace(checked, server=replace(checked.server, host=host))
    async with units.of(tenant) as work:
        # Without this lock, two concurrent calls would find no row to lock, and together could
        # exceed the limit on codes.
        await AccountRepository(work.connection, tenant).lock()
        senders = MailSenderRepository(work.connection, tenant)
        before = await senders.lock()
        sender = _sender(tenant, checked, before, sealer)
        verified = before is not None and before.verified and same_way(before, sender)
        await senders.put(replace(sender, verified=verified), work.now)
        code_id = None if verified else await _give_code(work, senders, code, sealer)
        work.note(actor, "mail sender set")
        return StoredSender(await senders.shown(), code_id)


async def send_sender_code(work: UnitOfWork, actor: Actor, code: DrawnCode, sealer: Sealer) -> str:
    """Replace the code that verifies the sender, and return its id. The caller sends it after the
    commit. Raises RoleRequired, MailSenderNotFound, MailSenderVerified, TooManySenderCodes."""
    actor.require(MANAGERS)
    senders = MailSenderRepository(work.connection, work.tenant)
    sender = await senders.lock()
    if sender is None:
        raise MailSenderNotFound
    if sender.verified:
        raise MailSenderVerified
    code_id = await _give_code(work, senders, code, sealer)
    work.note(actor, "mail sender code sent")
    return code_id


async def verify_mail_sender(
    work: UnitOfWork, actor: Actor, presented: str, sealer: Sealer
) -> ShownSender | None:
    """Verify the client's sender with a code, and return the sender, which may then write to
    customers. Raises RoleRequired.

    Return None for a wrong, used, expired or unknown code. The attempt still counts, so the caller
    must commit.
    """
    actor.require(MANAGERS)
    senders = MailSenderRepository(work.connection, work.tenant)
    tried = await senders.take_try(work.now)
    if tried is None:
        return None
    if not is_code(sealer, code_name(work.tenant, tried.id), presented, tried.digest):
        work.note(actor, "mail sender code refused")
        return None
    await senders.verify(tried.id, work.now)
    work.note(actor, "mail sender verified")
    return await senders.shown()


async def trust_mail_sender(work: UnitOfWork, actor: Actor, address: str) -> None:
    """Set a verified sender without a code, unless the client has one. Raises RoleRequired for
    members, who must use a code."""
    if not is_staff(actor):
        raise RoleRequired
    senders = MailSenderRepository(work.connection, work.tenant)
    if await senders.verified() is not None:
        return
    await senders.put(MailSender(work.tenant, address), work.now)
    code = NewSenderCode(id=work.new_id(), digest=b"", sealed_code="", language="fr")
    await senders.give_code(code, work.now)
    await senders.verify(code.id, work.now)
    work.note(actor, "mail sender verified")


async def remove_mail_sender(work: UnitOfWork, actor: Actor) -> None:
    """Delete the client's sender and its password. The service's own sender is used again. Raises
    RoleRequired, MailSenderNotFound."""
    actor.require(MANAGERS)
    if not await MailSenderRepository(work.connection, work.tenant).remove(work.now):
        raise MailSenderNotFound
    work.note(actor, "mail sender removed")


def _sender(
    tenant: TenantId, wanted: WantedSender, before: MailSender | None, sealer: Sealer
) -> MailSender:
    server: SmtpServer | None = None
    if wanted.server is not None:
        known = None if before is None else before.server
        server = _server(tenant, wanted.server, known, sealer)
    return MailSender(
        client_id=tenant,
        address=wanted.address,
        reply_to=wanted.reply_to,
        signature=wanted.signature,
        server=server,
        verified=False,
    )


def _server(
    tenant: TenantId, wanted: WantedServer, before: SmtpServer | None, sealer: Sealer
) -> SmtpServer:
    """Return the mail server with its password. A stored password is valid only for its own server.
    Raises InvalidMailSender if there is no password."""
    server = SmtpServer(
        host=wanted.host,
        port=wanted.port,
        starttls=security_of(wanted) is Security.STARTTLS,
        username=wanted.username,
    )
    if wanted.username is None:
        return server
    if wanted.password is not None:
        return replace(server, sealed_password=seal_password(sealer, tenant, wanted.password))
    if before is None or replace(before, sealed_password=None) != server:
        raise InvalidMailSender("smtp.password: it is missing", "smtp.password")
    return replace(server, sealed_password=before.sealed_password)


async def _give_code(
    work: UnitOfWork, senders: MailSenderRepository, code: DrawnCode, sealer: Sealer
) -> str:
    """Store a new code for the sender, and return the code's id. Raises TooManySenderCodes."""
    code_id = work.new_id()
    new = NewSenderCode(
        id=code_id,
        digest=code_digest(sealer, code_name(work.tenant, code_id), code.text),
        sealed_code=sealer.seal(code.text),
        language=code.language,
    )
    if not await senders.give_code(new, work.now):
        raise TooManySenderCodes
    return code_id
