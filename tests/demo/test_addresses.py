"""The last commands that the tour prints can be pasted."""

import shlex

from demo.addresses import platform_lines
from demo.hub import DemoHub, HubAddress
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import InboundTicket
from domain.inbound.platforms.postmark import PostmarkInbound
from tests.support.inbound.mails import FACTS

HUB = DemoHub(
    HubAddress("/api/webhooks/shopify/abc", "CANARY"),
    HubAddress("/api/webhooks/zendesk/def", "CANARY"),
    HubAddress("/api/webhooks/postmark/ghi"),
)


def test_the_mail_that_is_shown_is_taken() -> None:
    *addresses, mail = platform_lines(HUB, "http://127.0.0.1:8080")
    assert addresses[0] == (
        "from shopify to http://127.0.0.1:8080/api/webhooks/shopify/abc, signed with CANARY"
    )
    command = shlex.split(mail)
    assert command[2] == "http://127.0.0.1:8080/api/webhooks/postmark/ghi"

    request = InboundRequest({"content-type": "application/json"}, command[-1].encode())
    postmark = PostmarkInbound()
    identity = postmark.identify(request)
    assert identity.dedup_key == "mail-$(date +%s)"
    told = postmark.read(request, identity, FACTS)
    assert isinstance(told, InboundTicket)
    assert told.event.payload["from"] == "you@example.com"
