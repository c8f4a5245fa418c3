"""Deliveries on an operator's terminal."""

import io

from rich.console import Console

from adapters.system import utc_now
from commands.webhooks.webhook_text import delivery_text
from domain.webhooks.delivery import Delivery, DeliveryStatus, Trigger

STEERING = "\x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b31m\u202e"
ANSWER = f"<h1>Erreur</h1>\r\n[bold]{STEERING}fin"


def shown(delivery: Delivery) -> str:
    console = Console(file=io.StringIO(), width=200)
    with console.capture() as captured:
        console.print(delivery_text(delivery))
    return captured.get()


def test_what_strangers_wrote_does_not_steer_the_terminal() -> None:
    text = shown(
        Delivery(
            id="D1",
            webhook_id="W1",
            event="ticket.resolved",
            event_id="E1",
            trigger=Trigger.EVENT,
            replay_of=None,
            url="https://hooks.example.com/",
            status=DeliveryStatus.FAILED,
            attempt=1,
            next_attempt_at=None,
            failure_kind=None,
            error=None,
            response_status=500,
            duration_ms=12,
            failure_count_after=1,
            disabled_webhook=False,
            created_at=utc_now(),
            sent_at=utc_now(),
            finished_at=utc_now(),
            response_body=ANSWER,
            remote_ip="192.0.2.1",
            request_headers={},
            request_body=f'{{"data":"{STEERING}"}}',
            dns_ms=1,
            connect_ms=2,
            first_byte_ms=3,
        )
    )
    assert "<h1>Erreur</h1>" in text
    assert "[bold][2J]52;c;ZXZpbA==31mfin" in text
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*text}
