"""Write a delivery as a curl command with which a receiver's developer can repeat it."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from domain.core.service_name import ServiceName
from domain.webhooks.delivery import Delivery
from domain.webhooks.signature import signed_headers

VALID_FOR: Final = timedelta(seconds=300)
"""The period for which a signature is valid after signing. Receivers reject older signatures."""


def curl_line(url: str, headers: Mapping[str, str], body: str) -> str:
    """Return a curl command for a POST with these headers and exactly this body, quoted for POSIX
    shells.

    `--data-raw` is needed because a body may begin with @, and `--globoff` because a URL may
    contain brackets.
    """
    words = ["curl", "--include", "--globoff", "--request", "POST", url]
    for name, value in headers.items():
        words += ["--header", f"{name}: {value}"]
    return shlex.join([*words, "--data-raw", body])


def signed_again(
    delivery: Delivery, secrets: Sequence[str], timestamp: int, service: ServiceName
) -> str:
    """Return a delivery as a curl command with a new signature, because sent signatures are not
    stored.

    `timestamp` is in Unix seconds. `secrets` are the current ones, newest first.
    """
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
