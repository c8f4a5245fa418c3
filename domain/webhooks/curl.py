"""A delivery as a line for a shell, for a receiver's developer to repeat elsewhere."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from domain.core.service_name import ServiceName
from domain.webhooks.delivery import Delivery
from domain.webhooks.signature import signed_headers

VALID_FOR: Final = timedelta(seconds=300)
"""From its signature on: receivers refuse what is older."""


def curl_line(url: str, headers: Mapping[str, str], body: str) -> str:
    """One POST with these headers and exactly this body, quoted for POSIX shells.

    `--data-raw`: with others a body that begins with @ would name a file. `--globoff`: brackets in
    a URL stand for themselves.
    """
    words = ["curl", "--include", "--globoff", "--request", "POST", url]
    for name, value in headers.items():
        words += ["--header", f"{name}: {value}"]
    return shlex.join([*words, "--data-raw", body])


def signed_again(
    delivery: Delivery, secrets: Sequence[str], timestamp: int, service: ServiceName
) -> str:
    """A delivery as such a line, with signatures of `timestamp` (Unix seconds), since those that
    were sent are not kept. `secrets`: those that sign now, the newest first."""
    headers = signed_headers(
        event=delivery.event,
        event_id=delivery.event_id,
        delivery_id=delivery.id,
        attempt=max(delivery.attempt, 1),
        trigger=delivery.trigger,
        timestamp=timestamp,
        body=delivery.request_body.encode(),
        secrets=secrets,
        service=service,
    )
    return curl_line(delivery.url, headers, delivery.request_body)
