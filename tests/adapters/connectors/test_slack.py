"""Slack: posted notices, and the meaning of rejections."""

from collections.abc import AsyncIterator, Iterator

import pytest

from adapters.connectors.http import open_client
from adapters.connectors.slack import Slack
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnreachable,
    InvalidIntegration,
    NotAuthorized,
)
from domain.integrations.integration import Integration, check_credentials
from domain.integrations.providers import Provider
from tests.support.servers.http_service import Fault
from tests.support.servers.slack import WEBHOOK_URL, SlackServer, slack_server


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with slack_server() as server:
        yield server


@pytest.fixture
async def chat(server: SlackServer) -> AsyncIterator[Slack]:
    settings = {"base_url": server.url}
    integration = Integration(id="i", provider=Provider.SLACK, settings=settings, sealed="s")
    async with open_client() as http:
        yield Slack.of(integration, {"webhook_url": WEBHOOK_URL}, http)


async def test_mentions_and_links_are_plain_text(server: SlackServer, chat: Slack) -> None:
    await chat.tell("<!channel> R&D <https://evil.example|click> *bold*")

    assert server.told == ["<!channel> R&D <https://evil.example|click> *bold*"]
    (request,) = server.seen
    assert (request.body["mrkdwn"], request.body["unfurl_links"]) == (False, False)


async def test_what_a_refusal_means(server: SlackServer, chat: Slack) -> None:
    with pytest.raises(ActionRefused) as refused:
        await chat.tell(" ")
    assert not isinstance(refused.value, NotAuthorized)
    for fault, status in ((Fault.STATUS, 500), (Fault.STATUS, 429), (Fault.CUT, 0)):
        server.fail_next(fault, "POST", status=status, headers={"retry-after": "7"})
        with pytest.raises(ActionUnreachable) as later:
            await chat.tell("a")
        assert later.value.retry_after_s == (7 if status == 429 else None)
    for channel in ("archived", "gone"):
        server.channel = channel
        with pytest.raises(NotAuthorized) as gone:
            await chat.tell("a")
        assert "CANARY" not in str(gone.value)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("9" * 400, 24 * 3600), ("9" * 5_000, 24 * 3600), ("7", 7), ("1e9", None), ("inf", None)],
)
async def test_a_wait_is_at_most_a_day(
    server: SlackServer, chat: Slack, header: str, seconds: float | None
) -> None:
    """The infinite wait of 400 nines overflowed where the next attempt is scheduled."""
    server.fail_next(Fault.STATUS, "POST", status=429, headers={"retry-after": header})
    with pytest.raises(ActionUnreachable) as later:
        await chat.tell("a")
    assert later.value.retry_after_s == seconds


async def test_a_403_is_an_outage_unless_slack_says_that_the_address_is_revoked(
    server: SlackServer, chat: Slack
) -> None:
    server.fail_next(Fault.STATUS, "POST", status=403)
    with pytest.raises(ActionForbidden):
        await chat.tell("a")
    server.channel = "revoked"
    with pytest.raises(NotAuthorized):
        await chat.tell("a")


def test_nothing_but_slack_is_posted_to() -> None:
    check_credentials(Provider.SLACK, {"webhook_url": WEBHOOK_URL})
    for wrong in (
        WEBHOOK_URL.replace("https", "http"),
        WEBHOOK_URL.replace("hooks.slack.com", "hooks.slack.com.evil.example"),
        WEBHOOK_URL.replace("hooks.slack.com", "user@hooks.slack.com"),
        WEBHOOK_URL.replace("hooks.slack.com", "hooks.slack.com:8443"),
        WEBHOOK_URL + "/more",
        WEBHOOK_URL + "?a=b",
        "https://hooks.slack.com/services/../api",
    ):
        with pytest.raises(InvalidIntegration) as refused:
            check_credentials(Provider.SLACK, {"webhook_url": wrong})
        assert wrong not in str(refused.value)
