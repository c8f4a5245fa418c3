"""The sender with a real HTTPS receiver, working and failing (fault matrix, receivers)."""

import asyncio
import os
import resource
import tracemalloc

import pytest
import uvloop

from adapters.webhooks import HttpWebhookSender
from adapters.webhooks.exchange import MAX_BODY
from domain.core.errors import EngineUnavailable
from domain.webhooks.delivery import RESPONSE_KEPT, DeliveryAttempt, FailureKind
from tests.support.core.waiting import eventually
from tests.support.servers.tls import CertificateAuthority, Flaw
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.webhooks.webhook_faults import Fault

BUDGET_S = 1.0
HEADERS = {"Content-Type": "application/json", "X-Service-Event": "ticket.resolved"}
BODY = '{"event":"ticket.resolved","é":"ü"}'.encode()

KIND = FailureKind
ENDS = {
    Fault.CLOSES_AT_ONCE: (KIND.CONNECT, "the connection broke before an answer"),
    Fault.NO_HANDSHAKE: (KIND.TIMEOUT, "no TLS in time"),
    Fault.PLAIN_HTTP: (KIND.TLS, "the port does not speak TLS"),
    Fault.OLD_TLS: (KIND.TLS, "TLS 1.2 or newer is needed"),
    Fault.NEVER_ANSWERS: (KIND.TIMEOUT, "no answer in time"),
    Fault.CLOSES: (KIND.CONNECT, "the connection was closed before an answer"),
    Fault.RESETS: (KIND.CONNECT, "the connection broke before an answer"),
    Fault.GARBAGE: (KIND.PROTOCOL, "what came back is no HTTP answer"),
    Fault.DRIPS_HEADERS: (KIND.TIMEOUT, "no end of the answer's headers in time"),
    Fault.HUGE_HEADER: (KIND.TOO_LARGE, "the answer's headers are too large"),
    Fault.ENDLESS_HEADERS: (KIND.TOO_LARGE, "the answer's headers are too large"),
    Fault.ENDLESS_1XX: (KIND.PROTOCOL, "what came back is no HTTP answer"),
    Fault.DRIPS_BODY: (None, None),
    Fault.ENDLESS_BODY: (None, None),
    Fault.TINY_CHUNKS: (None, None),
    Fault.GZIP_BOMB: (None, None),
    Fault.CUTS_BODY: (None, None),
}
NO_REQUEST = (Fault.CLOSES_AT_ONCE, Fault.NO_HANDSHAKE, Fault.PLAIN_HTTP, Fault.OLD_TLS)
TAKES_ITS_TIME = (
    Fault.NO_HANDSHAKE, Fault.NEVER_ANSWERS, Fault.DRIPS_HEADERS, Fault.DRIPS_BODY,
)  # fmt: skip
CERTIFICATES = {
    Flaw.EXPIRED: "the certificate has expired",
    Flaw.WRONG_HOST: "the certificate is for another host",
    Flaw.SELF_SIGNED: "the certificate is self-signed",
}


def sender_of(authority: CertificateAuthority, budget_s: float = BUDGET_S) -> HttpWebhookSender:
    return HttpWebhookSender(allow_private=True, ca_file=authority.file, budget_s=budget_s)


@pytest.fixture
def sender(authority: CertificateAuthority) -> HttpWebhookSender:
    return sender_of(authority)


async def post(sender: HttpWebhookSender, receiver: WebhookReceiver) -> DeliveryAttempt:
    return await sender.post(receiver.url, HEADERS, BODY, client_id="one")


async def all_closed(receiver: WebhookReceiver) -> None:
    async def closed() -> bool:
        return receiver.open == 0

    await eventually(closed, 5)


async def test_what_is_sent_arrives_byte_for_byte(
    sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    done = await sender.post(receiver.url + "?a=%2F&b", HEADERS, BODY, client_id="one")
    [request] = receiver.seen
    assert (request.method, request.path) == ("POST", "/hooks?a=%2F&b")
    assert request.body == BODY
    assert request.headers == {
        "host": f"localhost:{receiver.port}",
        "content-type": "application/json",
        "x-service-event": "ticket.resolved",
        "content-length": str(len(BODY)),
        "accept-encoding": "identity",
        "connection": "close",
    }
    assert (done.failure, done.error, done.response_status) == (None, None, 200)
    assert (done.response_body, done.remote_ip) == (b"ok", "127.0.0.1")
    assert done.dns_ms is not None
    assert done.connect_ms is not None
    assert done.first_byte_ms is not None
    assert done.dns_ms <= done.connect_ms <= done.first_byte_ms <= done.duration_ms
    await all_closed(receiver)


@pytest.mark.parametrize("fault", ENDS)
async def test_each_fault_ends_in_time_and_names_its_cause(
    fault: Fault, sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    receiver.fail(fault)
    done = await post(sender, receiver)
    assert (done.failure, done.error) == ENDS[fault]
    assert done.response_status == (200 if done.failure is None else None)
    assert done.remote_ip == "127.0.0.1"
    if fault in TAKES_ITS_TIME:
        assert BUDGET_S * 1000 <= done.duration_ms < (BUDGET_S + 0.5) * 1000
    else:
        assert done.duration_ms < BUDGET_S * 1000
    assert len(receiver.seen) == (fault not in NO_REQUEST)
    await all_closed(receiver)


def test_every_fault_is_tried() -> None:
    assert set(ENDS) == set(Fault)


@pytest.mark.alone
async def test_the_real_budget_is_ten_seconds(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    receiver.fail(Fault.NEVER_ANSWERS)
    sender = HttpWebhookSender(allow_private=True, ca_file=authority.file)
    done = await post(sender, receiver)
    assert done.failure is FailureKind.TIMEOUT
    assert 10_000 <= done.duration_ms <= 10_300


async def test_a_slow_answer_that_comes_in_time_is_one(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    receiver.answer(202, after_s=0.5)
    done = await post(sender_of(authority, 30), receiver)
    assert (done.failure, done.response_status) == (None, 202)
    assert done.first_byte_ms is not None
    assert done.first_byte_ms >= 500


@pytest.mark.parametrize("flaw", Flaw)
async def test_a_bad_certificate_is_no_receiver(
    flaw: Flaw, authority: CertificateAuthority, sender: HttpWebhookSender
) -> None:
    with webhook_receiver(authority, flaw) as receiver:
        done = await post(sender, receiver)
        assert (done.failure, done.error) == (FailureKind.TLS, CERTIFICATES[flaw])
        assert receiver.seen == []


async def test_an_authority_nobody_named_is_not_believed(
    sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    with webhook_receiver() as stranger:
        done = await post(sender, stranger)
        assert done.failure is FailureKind.TLS
        assert stranger.seen == []
    public_only = HttpWebhookSender(allow_private=True, ca_file=None, budget_s=BUDGET_S)
    assert (await post(public_only, receiver)).failure is FailureKind.TLS
    assert receiver.seen == []


async def test_nobody_listens(sender: HttpWebhookSender, authority: CertificateAuthority) -> None:
    with webhook_receiver(authority) as gone:
        pass
    done = await post(sender, gone)
    assert (done.failure, done.error) == (FailureKind.CONNECT, "the connection was refused")


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        *((status, None) for status in (200, 201, 204, 299)),
        *((status, FailureKind.HTTP_3XX) for status in (300, 304)),
        *((status, FailureKind.HTTP_4XX) for status in (400, 404, 410, 429)),
        *((status, FailureKind.HTTP_5XX) for status in (500, 502, 503, 504)),
        *((status, FailureKind.PROTOCOL) for status in (600, 999)),
    ],
)
async def test_what_a_status_counts_as(
    status: int, failure: FailureKind | None, sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    receiver.answer(status)
    done = await post(sender, receiver)
    assert (done.failure, done.response_status) == (failure, status)
    assert done.error == (None if failure is None else f"the answer was {status}")


async def test_a_change_of_protocol_is_no_answer(
    sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    receiver.answer(101, headers={"Upgrade": "websocket"})
    assert (await post(sender, receiver)).failure is FailureKind.PROTOCOL


async def test_when_to_come_again(sender: HttpWebhookSender, receiver: WebhookReceiver) -> None:
    receiver.answer(503, headers={"Retry-After": "120"})
    assert (await post(sender, receiver)).retry_after_s == 120
    receiver.answer(503)
    assert (await post(sender, receiver)).retry_after_s is None


async def test_a_body_is_kept_as_raw_as_it_came(
    sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    body = bytes(range(256)) * (2 * MAX_BODY // 256)
    receiver.answer(500, body, {"Content-Encoding": "gzip"})
    done = await post(sender, receiver)
    assert done.response_body == body[:RESPONSE_KEPT]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(
    status: int,
    authority: CertificateAuthority,
    sender: HttpWebhookSender,
    receiver: WebhookReceiver,
) -> None:
    with webhook_receiver(authority) as second:
        for target in (second.url, "http://169.254.169.254/latest/meta-data/"):
            receiver.answer(status, headers={"Location": target})
            done = await post(sender, receiver)
            assert (done.failure, done.response_status) == (FailureKind.HTTP_3XX, status)
        assert second.contacts == 0
    assert receiver.contacts == 2


@pytest.mark.parametrize(
    "fault",
    [
        Fault.ENDLESS_BODY, Fault.GZIP_BOMB, Fault.HUGE_HEADER, Fault.ENDLESS_HEADERS,
        Fault.ENDLESS_1XX, Fault.TINY_CHUNKS,
    ],
)  # fmt: skip
async def test_no_answer_fills_the_memory(
    fault: Fault, sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    receiver.fail(fault)
    await post(sender, receiver)  # the receiver builds its decompression bomb
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        await post(sender, receiver)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The event loop reads 256 KiB at a time, and holds them encrypted and decrypted.
    assert peak - before < 2_000_000
    assert after - before < 1_000_000


async def test_a_cancelled_post_leaves_no_connection(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    for fault in (Fault.NEVER_ANSWERS, Fault.NO_HANDSHAKE):
        receiver.fail(fault)
        contacts = receiver.contacts
        posting = asyncio.create_task(post(sender_of(authority, 60), receiver))

        async def contacted(contacts: int = contacts) -> bool:
            return receiver.contacts > contacts

        await eventually(contacted)
        posting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await posting
        await all_closed(receiver)


async def test_too_many_open_files_do_not_count_against_the_receiver(
    sender: HttpWebhookSender, receiver: WebhookReceiver
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        with pytest.raises(EngineUnavailable):
            await sender.post(receiver.url_of("127.0.0.1"), HEADERS, BODY, client_id="one")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_the_same_under_the_workers_event_loop(
    authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    async def all_of_them() -> dict[Fault, DeliveryAttempt]:
        done = {}
        sender = sender_of(authority)
        assert (await post(sender, receiver)).failure is None
        for fault in ENDS:
            receiver.fail(fault)
            done[fault] = await post(sender, receiver)
        return done

    done = await asyncio.to_thread(uvloop.run, all_of_them())
    assert {fault: (it.failure, it.error) for fault, it in done.items()} == ENDS
    await all_closed(receiver)
