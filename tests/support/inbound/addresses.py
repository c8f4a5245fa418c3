"""Inbound webhook addresses, as users open them."""

from typing import Any, Final

from tests.support.core.engine import LiveEngine

ENDPOINT: Final = "/api/dashboard/integrations/{integration_id}/inbound"
# This secret has the format of Stripe and of Standard Webhooks.
PLATFORM_SECRET: Final = "whsec_aHVzaC1vZi10aGUtcGxhdGZvcm0tMDAwMQ=="

# Each entry contains the method, the path and the smallest body.
ENDPOINT_CHANGES: Final[list[tuple[str, str, dict[str, Any] | None]]] = [
    ("POST", ENDPOINT, None),
    ("DELETE", ENDPOINT, None),
    ("POST", ENDPOINT + "/rotate", None),
    ("PUT", ENDPOINT + "/secret", {"secret": PLATFORM_SECRET}),
]


async def opened(
    front: LiveEngine,
    headers: dict[str, str],
    integration_id: str,
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Open an address, and return it as a manager sees it."""
    path = ENDPOINT.format(integration_id=integration_id)
    answer = await front.http.post(path, json=body or {}, headers=headers)
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told
