"""A client's own mail server is untrusted: what it can and cannot do."""

import asyncio
import time
from dataclasses import replace

import pytest

from adapters.mail.mail_places import MailPlaces
from adapters.mail.mailer import SmtpMailer
from adapters.system import new_ulid
from domain.core.ids import TenantId
from domain.integrations.client_sender import seal_password
from domain.integrations.errors import (
    MailRefused,
    MailServersBusy,
    MailServerUntrusted,
    MailUnreachable,
)
from tests.support.integrations.mailers import (
    MAIL,
    MAILS_SEALER,
    by,
    mailer_to,
    with_login,
)
from tests.support.servers.client_smtp import (
    PASSWORD,
    USERNAME,
    Script,
    at,
    client_smtp,
    says,
    scripted,
)
from tests.support.servers.tls import CertificateAuthority


async def test_without_starttls_nothing_is_said(mailer: SmtpMailer) -> None:
    """The mailer does not continue in clear text if STARTTLS is stripped or refused."""
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
    # The server does not learn this machine's name either.
    assert heard[0] == b"EHLO service.example\r\n"


async def test_what_was_said_before_tls_counts_for_nothing(
    authority: CertificateAuthority, mailer: SmtpMailer
) -> None:
    """A response injected after the STARTTLS response is not treated as encrypted."""

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


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        await says(writer, "220-still there")
        await asyncio.sleep(0.02)  # this is the slow-drip case


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
    monkeypatch: pytest.MonkeyPatch, authority: CertificateAuthority
) -> None:
    """Its silent server blocks only its own emails; another client's emails are still sent."""
    mailer = mailer_to(None, ca_file=authority.file, places=MailPlaces(patience_s=0.05))
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
        with pytest.raises(MailServersBusy):
            await mailer.send(MAIL, by(at(port)))
        other = TenantId(new_ulid())
        sealed = seal_password(MAILS_SEALER, other, PASSWORD)
        server = replace(at(good.port), username=USERNAME, sealed_password=sealed)
        await mailer.send(MAIL, by(server, client=other))
        assert came == 4
        for one in held:
            one.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        # Slots are released.
        with pytest.raises(MailUnreachable):
            await asyncio.wait_for(_soon(mailer, port, monkeypatch), 5)
    assert came == 5


async def _soon(mailer: SmtpMailer, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.mail.mailer._TIMEOUT_S", 0.2)
    await mailer.send(MAIL, by(at(port)))
