"""No merchant-supplied host leads a connector to a non-public address."""

import asyncio
import threading
from collections.abc import Sequence
from ipaddress import ip_address

import httpx
import pytest

from adapters.connectors.guarded import GuardedHosts
from adapters.webhooks.dial import HTTP, tls_context
from domain.integrations.errors import ActionRefused
from tests.support.servers.webhook_receiver import webhook_receiver

PUBLIC = ["93.184.216.34", "2606:2800:220:1::1"]
URL = "https://shop.example/wp-json/wc/v3/orders?search=x"


class Names:
    """Fake name servers."""

    def __init__(self, found: Sequence[str]) -> None:
        self.found = found
        self.asked: list[str] = []

    def __call__(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        return self.found


class Wire(httpx.AsyncBaseTransport):
    """Receives what would be sent. `silent`: the number of addresses that do not respond."""

    def __init__(self, silent: int = 0) -> None:
        self.sent: list[httpx.Request] = []
        self._silent = silent

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        if len(self.sent) <= self._silent:
            raise httpx.ConnectTimeout("no answer")
        return httpx.Response(200, json=[])


def client(names: Names, wire: Wire) -> httpx.AsyncClient:
    return GuardedHosts(names, wire).http_for("c")


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"], ["100.64.0.1"], [PUBLIC[0], "127.0.0.1"], ["192.168.1.1", *PUBLIC],
    ],
)  # fmt: skip
async def test_a_name_that_leads_inside_is_not_called(found: list[str]) -> None:
    wire = Wire()
    with pytest.raises(ActionRefused):
        await client(Names(found), wire).get(URL)
    assert wire.sent == []


@pytest.mark.parametrize(
    "url",
    [
        "http://shop.example/", "https://127.0.0.1/", "https://2130706433/", "https://localhost/",
        "https://shop.internal/", "https://shop.example:25/", "https://user@shop.example/",
        "https://[::1]/",
    ],
)  # fmt: skip
async def test_a_url_that_is_none_of_a_shops(url: str) -> None:
    names, wire = Names(PUBLIC), Wire()
    with pytest.raises(ActionRefused):
        await client(names, wire).get(url)
    assert (names.asked, wire.sent) == ([], [])


async def test_what_was_looked_up_is_what_is_dialled() -> None:
    names, wire = Names(PUBLIC), Wire(silent=1)

    answer = await client(names, wire).post(URL, json={"a": 1})

    assert answer.status_code == 200
    assert names.asked == ["shop.example"]
    assert [request.url.host for request in wire.sent] == PUBLIC
    for request in wire.sent:
        assert request.headers["host"] == "shop.example"
        assert request.extensions["sni_hostname"] == "shop.example"
        assert await request.aread() == b'{"a":1}'


async def test_the_certificate_is_the_names_and_not_the_addresss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over a real connection. Only this receiver may bypass the guard; its certificate also covers
    the address."""
    here = [ip_address("127.0.0.1")]
    monkeypatch.setattr("adapters.connectors.guarded.vetted", lambda *_, **__: here)
    with webhook_receiver() as receiver:
        tls = httpx.AsyncHTTPTransport(verify=tls_context(receiver.ca_file, HTTP), trust_env=False)
        async with GuardedHosts(Names(PUBLIC), tls).http_for("c") as http:
            answer = await http.post(receiver.url_of("hooks.shop.example"), content=b"{}")
            with pytest.raises(httpx.ConnectError):
                await http.post(receiver.url_of("other.shop.example"), content=b"{}")
    assert answer.status_code == 200
    (request,) = receiver.seen
    assert request.headers["host"] == f"hooks.shop.example:{receiver.port}"


async def test_the_client_follows_nothing_that_it_is_told() -> None:
    async with GuardedHosts(Names(PUBLIC)).http_for("c") as http:
        assert not http.follow_redirects
        assert not http.trust_env


async def test_no_name_and_no_answer_are_said_as_httpx_does() -> None:
    with pytest.raises(httpx.ConnectError):
        await client(Names([]), Wire()).get(URL)
    with pytest.raises(httpx.ConnectTimeout):
        await client(Names(PUBLIC), Wire(silent=2)).get(URL)


class SlowNames:
    """A client's name servers, which answer nothing before they are `let_go`."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.busy = threading.Semaphore(0)
        self.let_go = threading.Event()

    def __call__(self, name: str) -> Sequence[str]:
        if name.startswith("slow"):
            self.asked.append(name)
            self.busy.release()
            assert self.let_go.wait(30)
        return PUBLIC


async def test_many_slow_hosts_of_one_client_leave_threads_to_others() -> None:
    """A client connected one shop after another, each on a name server that did not answer."""
    names = SlowNames()
    hosts = GuardedHosts(names, Wire())
    slow = [
        asyncio.create_task(hosts.http_for("eve").get(f"https://slow{number}.example/"))
        for number in range(300)
    ]
    for _ in range(4):
        assert await asyncio.to_thread(names.busy.acquire, timeout=10)

    answer = await hosts.http_for("ann").get(URL)

    assert answer.status_code == 200
    assert len(names.asked) == 4
    for task in slow:
        task.cancel()
    names.let_go.set()
    await asyncio.gather(*slow, return_exceptions=True)
