"""Metadata documents of OAuth clients: anyone can choose their URLs."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import pytest

from adapters.identity.client_documents import MAX_BYTES, HttpClientDocuments
from adapters.system import utc_now
from domain.identity.errors import OAuthError, OAuthRefused
from tests.support.servers.tls import CertificateAuthority, Flaw, certificate_authority
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.webhooks.webhook_faults import Fault

# From an unassigned block, so that nothing responds and nobody is disturbed.
PUBLIC = "2d00::1"
NAME = "hooks.shop.example"
URI = "https://app.example/cb"


class Clock:
    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now


class Resolver:
    """A fake resolver: one answer after another, then the last one repeatedly."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.asked = 0
        self._answers = [*answers]

    def __call__(self, _: str) -> Sequence[str]:
        self.asked += 1
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@pytest.fixture(scope="module")
def authority() -> Iterator[CertificateAuthority]:
    with certificate_authority() as found:
        yield found


@pytest.fixture
def site(authority: CertificateAuthority) -> Iterator[WebhookReceiver]:
    with webhook_receiver(authority) as found:
        yield found


def documents(
    authority: CertificateAuthority,
    resolver: Resolver,
    *,
    allow_private: bool = False,
    budget_s: float = 2,
    clock: Clock | None = None,
) -> HttpClientDocuments:
    return HttpClientDocuments(
        clock or Clock(),
        allow_private=allow_private,
        ca_file=authority.file,
        look_up=resolver,
        budget_s=budget_s,
    )


def document(url: str, **more: object) -> bytes:
    return json.dumps({"client_id": url, "redirect_uris": [URI], **more}).encode()


async def refused(found: HttpClientDocuments, url: str) -> OAuthRefused:
    with pytest.raises(OAuthRefused) as error:
        await found.find(url, asked_by="user")
    return error.value


async def test_a_document_is_fetched(
    authority: CertificateAuthority, site: WebhookReceiver
) -> None:
    url = site.url_of(NAME)
    site.answer(200, document(url, client_name="App"))
    found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True)

    client = await found.find(url, asked_by="user")

    assert (client.id, client.name, client.redirect_uris) == (url, "App", (URI,))
    [request] = site.seen
    assert (request.method, request.path) == ("GET", "/hooks")
    assert request.headers["host"] == f"{NAME}:{site.port}"
    assert not {"cookie", "authorization"} & {*request.headers}


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"], ["fe80::1%lo"], ["0.0.0.0"], ["100.64.0.1"], [PUBLIC, "127.0.0.1"],
    ],
)  # fmt: skip
async def test_no_name_leads_inside(
    found: list[str], authority: CertificateAuthority, site: WebhookReceiver
) -> None:
    site.answer(200, document(site.url_of(NAME)))
    error = await refused(documents(authority, Resolver(found)), site.url_of(NAME))
    assert error.error is OAuthError.INVALID_CLIENT
    assert site.contacts == 0


async def test_a_name_that_changes_between_check_and_use_leads_nowhere(
    authority: CertificateAuthority, site: WebhookReceiver
) -> None:
    """DNS rebinding: the address is public when it is checked, and would be internal in a second
    lookup."""
    resolver = Resolver([PUBLIC], ["127.0.0.1"])
    site.answer(200, document(site.url_of(NAME)))
    await refused(documents(authority, resolver, budget_s=0.5), site.url_of(NAME))
    assert (resolver.asked, site.contacts) == (1, 0)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/c", "https://[::1]/c", "https://2130706433/c", "https://127.1/c",
        "https://localhost/c", "https://metadata.internal/c", "https://169.254.169.254/latest",
        "https://app.example:22/c", "https://u@app.example/c", "https://app.example/c#f",
        "https://app.example", "https://app.example/", "https://app.example/a/../c",
        "https://App.example/c", "https://app.example:443/c", "https://app.example\\@x/c",
    ],
)  # fmt: skip
async def test_what_no_document_is_fetched_from(url: str, authority: CertificateAuthority) -> None:
    resolver = Resolver([PUBLIC])
    await refused(documents(authority, resolver), url)
    assert resolver.asked == 0


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (302, b"", {"location": "https://127.0.0.1/"}),
        (301, b"", {"location": "https://hooks.shop.example/elsewhere"}),
        (404, b"{}", {}),
        (200, b"no JSON", {}),
        (200, b"[]", {}),
        (200, b"[" * MAX_BYTES, {}),
        (200, b"\xff", {}),
    ],
)
async def test_answers_that_are_no_document(
    status: int,
    body: bytes,
    headers: Mapping[str, str],
    authority: CertificateAuthority,
    site: WebhookReceiver,
) -> None:
    site.answer(status, body, headers)
    found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True)
    error = await refused(found, site.url_of(NAME))
    assert error.error is OAuthError.INVALID_CLIENT
    assert len(site.seen) == 1, "no redirect is followed"


async def test_a_document_has_at_most_5_kb(
    authority: CertificateAuthority, site: WebhookReceiver
) -> None:
    largest = document(site.url_of(NAME)).ljust(MAX_BYTES)
    found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True)
    site.answer(200, largest + b" ")
    assert (await refused(found, site.url_of(NAME))).error is OAuthError.INVALID_CLIENT
    site.answer(200, largest)
    assert (await found.find(site.url_of(NAME), asked_by="user")).id == site.url_of(NAME)


async def test_a_document_that_names_another_client(
    authority: CertificateAuthority, site: WebhookReceiver
) -> None:
    site.answer(200, document("https://another.example/c"))
    found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True)
    assert (await refused(found, site.url_of(NAME))).error is OAuthError.INVALID_CLIENT


@pytest.mark.slow
@pytest.mark.parametrize("fault", Fault)
async def test_a_site_that_goes_wrong_costs_a_moment(
    fault: Fault, authority: CertificateAuthority, site: WebhookReceiver
) -> None:
    site.fail(fault)
    found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True, budget_s=0.4)
    async with asyncio.timeout(2):
        await refused(found, site.url_of(NAME))


async def test_a_certificate_for_another_host(authority: CertificateAuthority) -> None:
    with webhook_receiver(authority, Flaw.WRONG_HOST) as site:
        site.answer(200, document(site.url_of(NAME)))
        found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True)
        await refused(found, site.url_of(NAME))
        assert site.seen == []


@pytest.mark.parametrize(
    ("cache_control", "kept_s"),
    [("max-age=60", 60), ("public, max-age=999999", 3600), (None, 300), ("no-store", 0),
     ("max-age=0", 0), ("no-cache, max-age=60", 0)],
)  # fmt: skip
async def test_for_how_long_a_document_is_kept(
    cache_control: str | None,
    kept_s: int,
    authority: CertificateAuthority,
    site: WebhookReceiver,
) -> None:
    clock, url = Clock(), site.url_of(NAME)
    site.answer(200, document(url), {"cache-control": cache_control} if cache_control else {})
    found = documents(authority, Resolver(["127.0.0.1"]), allow_private=True, clock=clock)

    await found.find(url, asked_by="user")
    clock.now += timedelta(seconds=max(0, kept_s - 1))
    await found.find(url, asked_by="user")
    assert len(site.seen) == (1 if kept_s else 2)
    clock.now += timedelta(seconds=2)
    await found.find(url, asked_by="user")
    assert len(site.seen) == (2 if kept_s else 3)
