"""A client's own mail server is a stranger's machine: what it can do, and what it cannot."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from adapters.mail.mailer import SmtpMailer
from adapters.system import new_ulid
from domain.core.ids import TenantId
from domain.core.ports import MailSender, OutgoingMail, SmtpServer
from domain.integrations.errors import (
    MailLoginRefused,
    MailRefused,
    MailServerForbidden,
    MailServerUntrusted,
    MailUnknown,
    MailUnreachable,
)
from domain.integrations.mail_sender import seal_password
from tests.support.integrations.mailers import MAILS_SEALER, mailer_to
from tests.support.integrations.senders import SERVICE
from tests.support.servers.client_smtp import (
    PASSWORD,
    USERNAME,
    Script,
    at,
    client_smtp,
    scripted,
)
from tests.support.servers.mail import MailServer
from tests.support.servers.tls import CertificateAuthority, Flaw, certificate_authority

MAIL = OutgoingMail(
    name="reply.1", to="lea@example.com", from_name="Chez Nous", subject="Re: x", text="Bonjour"
)
CLIENT = TenantId(new_ulid())
ADDRESS = "contact@shop.example"


@pytest.fixture(scope="module")
def authority() -> Iterator[CertificateAuthority]:
    with certificate_authority() as found:
        yield found


def by(
    server: SmtpServer | None, *, client: TenantId = CLIENT, verified: bool = True
) -> MailSender:
    return MailSender(
        client_id=client,
        address=ADDRESS,
        reply_to="answers@shop.example",
        server=server,
        verified=verified,
    )


def with_login(server: SmtpServer, password: str = PASSWORD) -> SmtpServer:
    sealed = seal_password(MAILS_SEALER, CLIENT, password)
    return replace(server, username=USERNAME, sealed_password=sealed)


@pytest.fixture
def mailer(authority: CertificateAuthority) -> SmtpMailer:
    return mailer_to(None, ca_file=authority.file)


async def says(writer: asyncio.StreamWriter, *lines: str) -> None:
    writer.write("".join(f"{line}\r\n" for line in lines).encode())
    await writer.drain()


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
    # The certificate was asked for by the name that it has to bear.
    assert server.asked_for == ["localhost"]


async def test_the_services_server_sends_in_the_clients_name_too(mail: MailServer) -> None:
    assert await mailer_to(mail.url).send(MAIL, by(None)) == "<reply.1@shop.example>"

    assert mail.mails[0]["From"].addresses[0].addr_spec == ADDRESS


@pytest.mark.parametrize("to", [ADDRESS.upper(), "answers@shop.example", SERVICE])
async def test_a_verified_sender_does_not_write_to_itself(mail: MailServer, to: str) -> None:
    """It would come back as the next message to answer."""
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


async def test_without_starttls_nothing_is_said(mailer: SmtpMailer) -> None:
    """A stripped STARTTLS, or one that is refused, is no reason to go on in the clear."""
    heard: list[bytes] = []

    async def stripped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await says(writer, "220 here")
        while line := await reader.readline():
            heard.append(line)
            await says(writer, "250-here", "250 AUTH PLAIN LOGIN")

    async with scripted(stripped) as port:
        with pytest.raises(MailServerUntrusted):
            await mailer.send(MAIL, by(with_login(at(port, starttls=True))))

    assert [line.split()[0] for line in heard] == [b"EHLO"]
    # Nor is it told what this machine is called.
    assert heard[0] == b"EHLO service.example\r\n"


async def test_what_was_said_before_tls_counts_for_nothing(
    authority: CertificateAuthority, mailer: SmtpMailer
) -> None:
    """An answer smuggled in behind that of STARTTLS is not taken for the encrypted server's."""

    async def injecting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await says(writer, "220 here")
        await reader.readline()
        await says(writer, "250-here", "250 STARTTLS")
        await reader.readline()
        await says(writer, "220 go ahead", "250-here", "250 AUTH PLAIN")
        await writer.start_tls(authority.server_context())
        while await reader.readline():
            await says(writer, "554 no")

    async with scripted(injecting) as port:
        with pytest.raises((MailRefused, MailUnreachable)) as met:
            await mailer.send(MAIL, by(with_login(at(port, starttls=True))))
    assert not isinstance(met.value, MailServerUntrusted)


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
    """A row that was moved to another client is worth nothing there."""
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
        ("250 ok", None, MailUnknown),  # it closes after the text was given over
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
    # What the server said is kept nowhere: it may be a stranger's text.
    assert "no such user" not in f"{met.value!r} {met.value.__cause__!r}"


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        await says(writer, "220-still there")
        await asyncio.sleep(0.02)  # this is what dripping means


async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        writer.write(b"2" * 65536)
        await writer.drain()


async def gone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await says(writer, "HTTP/1.1 400 CANARY", "")


@pytest.mark.parametrize("script", [silent, dripping, endless, gone, web])
async def test_a_hostile_server_costs_one_deadline(
    mailer: SmtpMailer,
    monkeypatch: pytest.MonkeyPatch,
    authority: CertificateAuthority,
    script: Script,
) -> None:
    monkeypatch.setattr("adapters.mail.mailer._TIMEOUT_S", 0.3)
    began = time.monotonic()
    async with scripted(script, authority.server_context()) as port:
        with pytest.raises(MailUnreachable) as met:
            await mailer.send(MAIL, by(at(port)))
        assert time.monotonic() - began < 2
    assert "CANARY" not in f"{met.value!r} {met.value.__cause__!r}"


async def test_a_client_has_a_few_places_and_no_more(
    monkeypatch: pytest.MonkeyPatch, authority: CertificateAuthority, mailer: SmtpMailer
) -> None:
    """Its silent server holds its own mails; another client's go out meanwhile."""
    monkeypatch.setattr("adapters.mail.own_servers._PATIENCE_S", 0.05)
    came = 0
    full = asyncio.Event()

    async def counting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal came
        came += 1
        if came == 4:
            full.set()
        await reader.read()

    async with (
        scripted(counting, authority.server_context()) as port,
        client_smtp(authority.server_context(), starttls=False) as good,
    ):
        held = [asyncio.ensure_future(mailer.send(MAIL, by(at(port)))) for _ in range(4)]
        await full.wait()
        with pytest.raises(MailUnreachable, match="as much at once"):
            await mailer.send(MAIL, by(at(port)))
        other = TenantId(new_ulid())
        sealed = seal_password(MAILS_SEALER, other, PASSWORD)
        server = replace(at(good.port), username=USERNAME, sealed_password=sealed)
        await mailer.send(MAIL, by(server, client=other))
        assert came == 4
        for one in held:
            one.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        # Places are given back.
        with pytest.raises(MailUnreachable):
            await asyncio.wait_for(_soon(mailer, port, monkeypatch), 5)
    assert came == 5


async def _soon(mailer: SmtpMailer, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.mail.mailer._TIMEOUT_S", 0.2)
    await mailer.send(MAIL, by(at(port)))


async def test_addresses_are_vetted_at_every_send(authority: CertificateAuthority) -> None:
    """A name that was public when it was stored may lead inside now."""
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
    """A name that is looked up once cannot lead elsewhere between the check and the connection."""
    asked: list[str] = []

    def rebinding(name: str) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

    async with client_smtp(authority.server_context(), starttls=False) as server:
        mailer = mailer_to(None, ca_file=authority.file, look_up=rebinding)
        # Its certificate is checked by the name, whatever the address.
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
