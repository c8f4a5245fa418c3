"""Engines that act and send webhooks: each with its own database."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from store.core.database import Database
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.temporal import TemporalServer
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.shop import Shop, open_shop, with_sender
from tests.support.webhooks.webhook_engine import sending_engine
from workflows import options


@pytest.fixture(autouse=True)
def patient_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow each workflow start 20 seconds. A worker that starts in the same process can block the
    event loop for more than one, and no sweep runs here that would start the workflow later."""
    monkeypatch.setattr("adapters.temporal.client._PROCESS_TIMEOUT_S", 20.0)
    monkeypatch.setattr("adapters.temporal.client._CALL_TIMEOUT_S", 20.0)


@pytest.fixture
def tried_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the number of retries, with shorter delays."""
    for tried in (options.INSIDE, options.REMOTE_BRAIN, options.OUTSIDE):
        policy = tried["retry_policy"]
        assert policy is not None
        quick = replace(policy, initial_interval=timedelta(milliseconds=5))
        monkeypatch.setitem(tried, "retry_policy", quick)


@pytest.fixture
async def acting(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    """The engine without a worker, allowed to act on this machine."""
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        smtp_url=mail.url,
        allow_loopback_targets=True,
    ) as engine:
        yield engine


@pytest.fixture
async def shop(database: Database) -> Shop:
    """A client that emails its customers from a verified sender."""
    shop = await open_shop(database)
    await with_sender(database, shop)
    return shop


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as one:
        yield one


@pytest.fixture
async def idle_sender(
    database_url: str, temporal: TemporalServer, mail: MailServer, receiver: WebhookReceiver
) -> AsyncIterator[LiveEngine]:
    """An engine that sends webhooks to the receiver; no worker is running yet."""
    async with sending_engine(database_url, temporal, receiver, smtp_url=mail.url) as one:
        yield one


@pytest.fixture
async def sender(idle_sender: LiveEngine) -> AsyncIterator[LiveEngine]:
    """The same engine with running workers, including the webhook worker."""
    async with idle_sender.working(), idle_sender.delivering():
        yield idle_sender
