"""Check which stack responds at an address, because another stack's API may be listening there."""

import httpx

from domain.core.errors import InvalidInput
from embedded.data_folder import StackInfo


async def instance_at(api_url: str) -> str | None:
    """Return the instance id of the API at this address, or None if no API responds."""
    async with httpx.AsyncClient(trust_env=False) as client:
        try:
            answer = await client.get(f"{api_url}/healthz")
            found: dict[str, object] = answer.json() if answer.status_code == 200 else {}
        except (httpx.TransportError, ValueError):
            return None
    instance = found.get("instance")
    return instance if isinstance(instance, str) else None


async def check_instance(stack: StackInfo) -> None:
    """Raise InvalidInput unless this stack's own API responds at the stack's address."""
    if await instance_at(stack.api_url) != stack.instance:
        raise InvalidInput(f"{stack.api_url} is not the API of this stack: start it again")
