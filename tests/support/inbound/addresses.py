"""The addresses that platforms send webhooks to, as people open them."""

from typing import Any, Final

from tests.support.core.engine import LiveEngine

ENDPOINT: Final = "/api/dashboard/integrations/{integration_id}/inbound"
# Of a shape that Stripe gives out, and Standard Webhooks.
PLATFORM_SECRET: Final = "whsec_aHVzaC1vZi10aGUtcGxhdGZvcm0tMDAwMQ=="

# Method, path, and the least that it needs.
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
    """A new address as a manager is shown it."""
    path = ENDPOINT.format(integration_id=integration_id)
    answer = await front.http.post(path, json=body or {}, headers=headers)
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told
