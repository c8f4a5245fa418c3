"""No name, number or proxy leads the sender to a non-public address."""

import socket
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from adapters.webhooks import HttpWebhookSender
from adapters.webhooks.dial import Dialler, tls_context
from adapters.webhooks.failures import PostFailed
from adapters.webhooks.lookup import LookUp
from domain.webhooks.delivery import DeliveryAttempt, FailureKind
from tests.support.servers.tls import CertificateAuthority
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver

# From an unassigned block, so that nothing responds and nobody is disturbed.
PUBLIC = "2d00::1"
NAME = "hooks.shop.example"


class Answers:
    """A fake resolver: one answer after another, then the last one repeatedly."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.asked: list[str] = []
        self._answers = [*answers]

    def __call__(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def guarded(authority: CertificateAuthority, look_up: LookUp) -> HttpWebhookSender:
    """A sender with production settings: private addresses are not allowed."""
    return HttpWebhookSender(
        allow_private=False, ca_file=authority.file, look_up=look_up, budget_s=0.5
    )


async def post(sender: HttpWebhookSender, url: str) -> DeliveryAttempt:
    return await sender.post(url, {}, b"{}", client_id="one")


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"], ["fe80::1%lo"], ["0.0.0.0"], ["100.64.0.1"],
        # A public address does not compensate for a private one.
        [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC],
    ],
)  # fmt: skip
async def test_a_name_that_leads_inside_is_not_dialled(
    found: list[str], authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    done = await post(guarded(authority, Answers(found)), receiver.url_of(NAME))
    assert done.failure is FailureKind.BLOCKED_ADDRESS
    assert done.error is not None
    assert done.error.startswith("the host's address is not allowed: ")
    assert (done.remote_ip, done.connect_ms) == (None, None)
    assert receiver.contacts == 0


async def test_a_name_that_changes_its_mind_is_asked_once_a_post(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    names = Answers([PUBLIC], ["127.0.0.1"])
    sender = guarded(authority, names)
    first = await post(sender, receiver.url_of(NAME))
    assert first.failure in {FailureKind.CONNECT, FailureKind.TIMEOUT}
    assert first.remote_ip == PUBLIC
    assert names.asked == [NAME]
    second = await post(sender, receiver.url_of(NAME))
    assert second.failure is FailureKind.BLOCKED_ADDRESS
    assert names.asked == [NAME] * 2
    assert receiver.contacts == 0


async def test_the_address_is_looked_at_once_more_when_it_is_dialled(
    receiver: WebhookReceiver,
) -> None:
    dialler = Dialler(allow_private=False)
    with pytest.raises(PostFailed) as error:
        await dialler.connect([ip_address("127.0.0.1")], receiver.port)
    assert error.value.kind is FailureKind.BLOCKED_ADDRESS
    assert dialler.dialled is None
    assert receiver.contacts == 0


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "①②⑦.⓪.⓪.①", "[::ffff:7f00:1]"]
)
async def test_a_url_is_checked_again_when_it_is_sent_to(
    host: str, authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    names = Answers(["127.0.0.1"])
    done = await post(guarded(authority, names), receiver.url_of(host))
    assert (done.failure, done.error) == (FailureKind.BLOCKED_ADDRESS, "the URL is not allowed")
    assert (names.asked, receiver.contacts) == ([], 0)


@pytest.mark.parametrize("found", ["169.254.169.254", "fe80::1%lo", "fd00:ec2::254", "224.0.0.1"])
async def test_the_setting_for_private_networks_has_its_limits(
    found: str, authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    sender = HttpWebhookSender(
        allow_private=True, ca_file=authority.file, look_up=Answers([found]), budget_s=0.5
    )
    done = await post(sender, receiver.url_of(NAME))
    assert (done.failure, done.remote_ip) == (FailureKind.BLOCKED_ADDRESS, None)


async def test_the_next_address_is_tried(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    names = Answers(["127.0.0.2", "127.0.0.1"])
    sender = HttpWebhookSender(allow_private=True, ca_file=authority.file, look_up=names)
    done = await post(sender, receiver.url_of(NAME))
    assert (done.failure, done.remote_ip) == (None, "127.0.0.1")
    assert receiver.seen[0].headers["host"] == f"{NAME}:{receiver.port}"


async def test_an_address_needs_no_look_up(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    names = Answers([])
    sender = HttpWebhookSender(allow_private=True, ca_file=authority.file, look_up=names)
    done = await post(sender, receiver.url_of("127.0.0.1"))
    assert (done.failure, done.dns_ms, names.asked) == (None, None, [])


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"])
async def test_no_proxy_of_the_environment_is_used(
    variable: str,
    authority: CertificateAuthority,
    receiver: WebhookReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with webhook_receiver(authority) as proxy:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        sender = HttpWebhookSender(allow_private=True, ca_file=authority.file)
        assert (await post(sender, receiver.url)).failure is None
        assert proxy.contacts == 0


async def test_a_name_that_nobody_knows(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    def unknown(name: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for look_up in (unknown, Answers([])):
        done = await post(guarded(authority, look_up), receiver.url_of(NAME))
        assert (done.failure, done.error) == (FailureKind.DNS, "the host's name was not found")


def test_a_server_cannot_choose_a_costly_key_exchange() -> None:
    """A handshake with a 10,000-bit Diffie-Hellman group blocks the event loop for a second."""
    older = [one for one in tls_context(None).get_ciphers() if one["protocol"] == "TLSv1.2"]

    assert older
    assert all(one["name"].startswith("ECDHE-") for one in older)
