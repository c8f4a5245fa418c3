"""Permitted client senders, and the domain that signs their emails."""

from dataclasses import replace

import pytest

from adapters.seal import FernetSealer, new_seal_key
from domain.core.ports import SmtpServer
from domain.core.service_name import ServiceName
from domain.integrations.client_sender import (
    Security,
    WantedSender,
    WantedServer,
    checked_sender,
    seal_password,
    security_of,
    signed,
    unseal_password,
)
from domain.integrations.errors import InvalidMailSender
from domain.integrations.sender_code_mail import sender_code_mail

SERVICE = "Support@Service.example"
SERVER = WantedServer("smtp.shop.example", 465, username="u", password="p")


@pytest.mark.parametrize(
    ("address", "stored"),
    [
        ("contact@shop.example", "contact@shop.example"),
        (" Contact+sav@Shop.Example ", "contact+sav@shop.example"),
        ("contact@été.example", "contact@xn--t-9fab.example"),
    ],
)
def test_an_address_has_one_spelling(address: str, stored: str) -> None:
    found = checked_sender(WantedSender(address, reply_to=address), SERVICE)
    assert (found.address, found.reply_to) == (stored, stored)


@pytest.mark.parametrize("name", ["address", "reply_to"])
@pytest.mark.parametrize(
    "address",
    [
        "", "nobody", "a@b", "a@localhost", "a@[127.0.0.1]", "a@b.example, c@d.example",
        "a@b.example\r\nBcc: c@d.example", "a@b.example\n", "Léa <a@b.example>", '"a b"@c.example',
        "é@b.example", "a@b.example\0", "a@b@c.example", "a" * 250 + "@b.example",
        "SUPPORT@service.EXAMPLE",  # the service's own
    ],
)  # fmt: skip
def test_what_is_no_address_of_ones_own(name: str, address: str) -> None:
    given: dict[str, str] = {"address": "contact@shop.example", name: address}
    wanted = WantedSender(given["address"], given.get("reply_to"))
    with pytest.raises(InvalidMailSender) as met:
        checked_sender(wanted, SERVICE)
    assert met.value.reason == name
    assert not address or address not in str(met.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"username": ""}, "smtp.username"),
        ({"username": "a\r\nb"}, "smtp.username"),
        ({"username": "a" * 321}, "smtp.username"),
        ({"username": None}, "smtp.username"),
        ({"password": ""}, "smtp.password"),
        ({"password": "a\0b"}, "smtp.password"),
        ({"password": "a" * 1001}, "smtp.password"),
    ],
)
def test_a_login_is_printable(change: dict[str, str | None], reason: str) -> None:
    server = WantedServer(
        SERVER.host, SERVER.port, None, **{"username": "u", "password": "CANARY", **change}
    )
    with pytest.raises(InvalidMailSender) as met:
        checked_sender(WantedSender("contact@shop.example", server=server), SERVICE)
    assert met.value.reason == reason
    assert "CANARY" not in f"{met.value} {server!r}"


@pytest.mark.parametrize(
    ("port", "security", "found"),
    [
        (465, None, Security.TLS),
        (587, None, Security.STARTTLS),
        (25, Security.STARTTLS, Security.STARTTLS),
        (8025, Security.TLS, Security.TLS),
        (465, Security.STARTTLS, None),
        (587, Security.TLS, None),
        (8025, None, None),
    ],
)
def test_the_port_says_how_tls_begins(
    port: int, security: Security | None, found: Security | None
) -> None:
    server = WantedServer("h", port, security)
    if found is None:
        with pytest.raises(InvalidMailSender):
            security_of(server)
    else:
        assert security_of(server) is found


@pytest.mark.parametrize("signature", ["a" * 1001, "\n".join("a" * 13)])
def test_a_signature_is_short(signature: str) -> None:
    with pytest.raises(InvalidMailSender) as met:
        checked_sender(WantedSender("a@shop.example", signature=signature), SERVICE)
    assert met.value.reason == "signature"


def test_a_signature_is_plain_text() -> None:
    wanted = WantedSender("a@shop.example", signature="  Léa \r\n\r\n\r\nChez\u202e Nous\0\n")
    assert checked_sender(wanted, SERVICE).signature == "Léa\n\nChez Nous"


def test_a_mail_is_signed_once() -> None:
    once = signed("Bonjour\n", "Léa\nChez Nous")
    assert once == "Bonjour\n\n-- \nLéa\nChez Nous\n"
    assert signed(once, "Léa\nChez Nous") == once
    assert signed("Bonjour\n", "") == "Bonjour\n"


def test_a_password_is_sealed_with_whose_it_is() -> None:
    sealer = FernetSealer(new_seal_key())
    server = SmtpServer("h", 465, starttls=False, username="u")
    assert unseal_password(sealer, "one", server) is None
    server = replace(server, sealed_password=seal_password(sealer, "one", "a/b c"))
    assert unseal_password(sealer, "one", server) == "a/b c"
    for other in ("two", "", "one/a"):
        with pytest.raises(ValueError, match="another client"):
            unseal_password(sealer, other, server)


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_mail_with_the_code_says_nothing_of_the_client(language: str) -> None:
    mail = sender_code_mail(
        "01ABC", "victim@example.com", language, "012345", service=ServiceName("Aide")
    )
    assert mail.from_name == "Aide"
    assert mail.name == "sender.01abc"
    assert "012345" in mail.subject
    assert "012345" in mail.text
    assert "30 minutes" in mail.text
    assert mail.auto_submitted == "auto-generated"
