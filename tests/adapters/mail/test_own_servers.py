"""A client's own mail server: its sender, TLS and the address guard."""

import pytest

from adapters.mail.mailer import SmtpMailer
from adapters.system import new_ulid
from domain.core.ids import TenantId
from domain.integrations.errors import (
    MailLoginRefused,
    MailRefused,
    MailServerForbidden,
    MailServerUntrusted,
    MailUnknown,
    MailUnreachable,
)
from tests.support.integrations.mailers import (
    ADDRESS,
    MAIL,
    by,
    mailer_to,
    with_login,
)
from tests.support.integrations.senders import SERVICE
from tests.support.servers.client_smtp import (
    PASSWORD,
    USERNAME,
    at,
    client_smtp,
)
from tests.support.servers.mail import MailServer
from tests.support.servers.tls import CertificateAuthority, Flaw


@pytest.mark.parametrize("starttls", [False, True])
async def test_mail_goes_out_in_the_clients_name(
    authority: CertificateAuthority, mailer: SmtpMailer, starttls: bool
) -> None:
    async with client_smtp(authority.server_context(), starttls=starttls) as server:
        sender = by(with_login(at(server.port, starttls=starttls)))

        message_id = await mailer.send(MAIL, sender)

    (sent,) = server.mails
    assert str(sent["From"]) == "Chez Nous <contact@shop.example>"
    assert sent["Reply-To"] == "answers@shop.example"
    assert sent["Message-ID"] == message_id == "<reply.1@shop.example>"
    assert server.logins == [USERNAME.encode()]
    # The certificate is checked for the expected name.
    assert server.asked_for == ["localhost"]


async def test_the_services_server_sends_in_the_clients_name_too(mail: MailServer) -> None:
    assert await mailer_to(mail.url).send(MAIL, by(None)) == "<reply.1@shop.example>"

    assert mail.mails[0]["From"].addresses[0].addr_spec == ADDRESS


@pytest.mark.parametrize("to", [ADDRESS.upper(), "answers@shop.example", SERVICE])
async def test_a_verified_sender_does_not_write_to_itself(mail: MailServer, to: str) -> None:
    """The email would come back as the next message to answer."""
    with pytest.raises(MailRefused):
        await mailer_to(mail.url).send(MAIL.model_copy(update={"to": to}), by(None))
    assert mail.mails == []


async def test_one_that_is_not_verified_writes_to_itself_alone(mail: MailServer) -> None:
    mailer = mailer_to(mail.url)
    with pytest.raises(MailRefused):
        await mailer.send(MAIL, by(None, verified=False))
    await mailer.send(MAIL.model_copy(update={"to": ADDRESS}), by(None, verified=False))
    assert [one["To"] for one in mail.mails] == [ADDRESS]


@pytest.mark.parametrize("starttls", [False, True])
@pytest.mark.parametrize("flaw", Flaw)
async def test_a_bad_certificate_is_not_believed(
    authority: CertificateAuthority, mailer: SmtpMailer, flaw: Flaw, starttls: bool
) -> None:
    async with client_smtp(authority.server_context(flaw), starttls=starttls) as server:
        with pytest.raises(MailServerUntrusted):
            await mailer.send(MAIL, by(with_login(at(server.port, starttls=starttls))))
    assert server.mails == []
    assert server.logins == []


async def test_a_wrong_password_is_refused_for_good(
    authority: CertificateAuthority, mailer: SmtpMailer
) -> None:
    async with client_smtp(authority.server_context(), starttls=True) as server:
        with pytest.raises(MailLoginRefused):
            await mailer.send(MAIL, by(with_login(at(server.port, starttls=True), "wrong")))
    assert server.mails == []


async def test_anothers_password_is_not_opened(
    authority: CertificateAuthority, mailer: SmtpMailer
) -> None:
    """A row copied to another client cannot be decrypted."""
    async with client_smtp(authority.server_context(), starttls=True) as server:
        stolen = by(with_login(at(server.port, starttls=True)), client=TenantId(new_ulid()))
        with pytest.raises(MailLoginRefused):
            await mailer.send(MAIL, stolen)
    assert server.logins == []


@pytest.mark.parametrize(
    ("recipient", "data", "error"),
    [
        ("550 no such user", "250 ok", MailRefused),
        ("450 later", "250 ok", MailUnreachable),
        ("250 ok", "554 refused", MailRefused),
        ("250 ok", "451 later", MailUnreachable),
        ("250 ok", None, MailUnknown),  # it disconnects after the message was transmitted
    ],
)
async def test_outcomes(
    authority: CertificateAuthority,
    mailer: SmtpMailer,
    recipient: str,
    data: str | None,
    error: type[Exception],
) -> None:
    async with client_smtp(authority.server_context(), starttls=False) as server:
        server.recipient_reply, server.reply = recipient, data
        with pytest.raises(error) as met:
            await mailer.send(MAIL, by(with_login(at(server.port))))
    # The server's response is not stored, because it may be arbitrary text.
    assert "no such user" not in f"{met.value!r} {met.value.__cause__!r}"


async def test_addresses_are_vetted_at_every_send(authority: CertificateAuthority) -> None:
    """A name that was public when it was stored may now resolve to an internal address."""
    async with client_smtp(authority.server_context(), starttls=False) as server:
        guarded = mailer_to(
            None,
            ca_file=authority.file,
            allow_private=False,
            look_up=lambda _: ["2d00::1", "127.0.0.1"],
        )
        with pytest.raises(MailServerForbidden):
            await guarded.send(MAIL, by(with_login(at(server.port, host="mail.shop.example"))))
    assert server.mails == []


async def test_what_was_vetted_is_dialled(authority: CertificateAuthority) -> None:
    """A single lookup cannot lead to another address between the check and the connection."""
    asked: list[str] = []

    def rebinding(name: str) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

    async with client_smtp(authority.server_context(), starttls=False) as server:
        mailer = mailer_to(None, ca_file=authority.file, look_up=rebinding)
        # Its certificate is checked by name, whatever the address.
        sender = by(with_login(at(server.port, host="hooks.shop.example")))
        await mailer.send(MAIL, sender)
        assert asked == ["hooks.shop.example"]
        assert server.asked_for == ["hooks.shop.example"]
        with pytest.raises(MailServerForbidden):
            await mailer.send(MAIL, sender)
    assert len(server.mails) == 1


def test_a_server_never_shows_its_password() -> None:
    assert PASSWORD not in repr(with_login(at(1)))
    assert "sealed" not in repr(with_login(at(1)))
