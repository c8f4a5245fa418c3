"""No host that a merchant names leads a connector to an address that is not public."""

from collections.abc import Sequence
from ipaddress import ip_address

import httpx
import pytest

from adapters.connectors.guarded import GuardedTransport, open_guarded_client
from adapters.webhooks.dial import HTTP, tls_context
from domain.integrations.errors import ActionRefused
from tests.support.servers.webhook_receiver import webhook_receiver

PUBLIC = ["93.184.216.34", "2606:2800:220:1::1"]
URL = "https://shop.example/wp-json/wc/v3/orders?search=x"


class Names:
    """Stands in for name servers."""

    def __init__(self, found: Sequence[str]) -> None:
        self.found = found
        self.asked: list[str] = []

    def __call__(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        return self.found


class Wire(httpx.AsyncBaseTransport):
    """Takes what would be sent. `silent`: how many addresses do not answer."""

    def __init__(self, silent: int = 0) -> None:
        self.sent: list[httpx.Request] = []
        self._silent = silent

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        if len(self.sent) <= self._silent:
            raise httpx.ConnectTimeout("no answer")
        return httpx.Response(200, json=[])


def client(names: Names, wire: Wire) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=GuardedTransport(names, wire))


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
    """On a real connection. Only the receiver here is let past the guard, and its certificate is
    one of the address too."""
    here = [ip_address("127.0.0.1")]
    monkeypatch.setattr("adapters.connectors.guarded.vetted", lambda *_, **__: here)
    with webhook_receiver() as receiver:
        tls = httpx.AsyncHTTPTransport(verify=tls_context(receiver.ca_file, HTTP), trust_env=False)
        async with httpx.AsyncClient(transport=GuardedTransport(Names(PUBLIC), tls)) as http:
            answer = await http.post(receiver.url_of("hooks.shop.example"), content=b"{}")
            with pytest.raises(httpx.ConnectError):
                await http.post(receiver.url_of("other.shop.example"), content=b"{}")
    assert answer.status_code == 200
    (request,) = receiver.seen
    assert request.headers["host"] == f"hooks.shop.example:{receiver.port}"


async def test_the_client_follows_nothing_that_it_is_told() -> None:
    async with open_guarded_client(Names(PUBLIC)) as http:
        assert not http.follow_redirects
        assert not http.trust_env


async def test_no_name_and_no_answer_are_said_as_httpx_does() -> None:
    with pytest.raises(httpx.ConnectError):
        await client(Names([]), Wire()).get(URL)
    with pytest.raises(httpx.ConnectTimeout):
        await client(Names(PUBLIC), Wire(silent=2)).get(URL)
