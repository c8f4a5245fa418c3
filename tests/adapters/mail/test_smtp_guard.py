"""Which client mail servers can be stored: the rules for webhooks, and the SMTP ports."""

import socket
from collections.abc import Sequence

import pytest

from adapters.mail.smtp_guard import SmtpGuard
from domain.integrations.errors import InvalidMailSender

PUBLIC = "2d00::1"


def guard(*found: str, allow_private: bool = False) -> SmtpGuard:
    def look_up(name: str) -> Sequence[str]:
        assert name
        if not found:
            raise socket.gaierror
        return found

    return SmtpGuard(allow_private=allow_private, look_up=look_up)


@pytest.mark.parametrize(
    ("host", "stored"),
    [
        ("smtp.shop.example", "smtp.shop.example"),
        ("SMTP.Shop.Example.", "smtp.shop.example"),
        ("smtp.été.example", "smtp.xn--t-9fab.example"),
    ],
)
async def test_a_public_server_is_stored_as_it_is_looked_up(host: str, stored: str) -> None:
    assert await guard(PUBLIC).check("client", host, 587) == stored


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "smtp", "mail.internal", "127.0.0.1", "127.1", "0x7f000001", "2130706433",
        "10.0.0.1", "169.254.169.254", "[::1]", "::1", "a b.example", "smtp.shop.example:25",
        "user@smtp.shop.example", "smtp.shop.example/x", "smtp.shop.example\r\nQUIT",
        "", ".", "-a.b",
    ],
)  # fmt: skip
async def test_a_host_that_is_private_or_none_is_refused(host: str) -> None:
    with pytest.raises(InvalidMailSender) as met:
        await guard(PUBLIC).check("client", host, 587)
    assert met.value.reason == "smtp.host"


@pytest.mark.parametrize(
    "found",
    [
        (), ("127.0.0.1",), ("10.0.0.1",), ("169.254.169.254",), ("::ffff:127.0.0.1",),
        ("64:ff9b::7f00:1",), (PUBLIC, "192.168.0.1"),
    ],
)  # fmt: skip
async def test_a_name_that_leads_inside_or_nowhere_is_refused(found: tuple[str, ...]) -> None:
    with pytest.raises(InvalidMailSender) as met:
        await guard(*found).check("client", "smtp.shop.example", 465)
    assert met.value.reason == "smtp.host"


@pytest.mark.parametrize("port", [0, 22, 80, 443, 6379, 5432, 70000])
async def test_only_the_ports_of_mail(port: int) -> None:
    with pytest.raises(InvalidMailSender) as met:
        await guard(PUBLIC).check("client", "smtp.shop.example", port)
    assert met.value.reason == "smtp.port"


async def test_an_installation_of_ones_own_may_have_them_anywhere() -> None:
    own = guard("127.0.0.1", allow_private=True)
    assert await own.check("client", "localhost", 8025) == "localhost"
    with pytest.raises(InvalidMailSender):
        await guard("169.254.169.254", allow_private=True).check("client", "localhost", 8025)
