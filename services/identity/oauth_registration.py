"""Dynamic registration of OAuth clients (RFC 7591), open to anyone. It grants no rights."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from domain.identity.oauth_client import OAuthClient, described_client
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.identity.oauth_clients import OAuthClientRepository


async def register_client(
    work: UnitOfWork, metadata: Mapping[str, object], network: str
) -> OAuthClient:
    """Register an OAuth client with the metadata in its request, in a unit of work that spans
    clients.

    `network` is the client's IP network. Raises OAuthRefused (invalid_redirect_uri,
    invalid_client_metadata).
    """
    client = described_client(work.new_id(), metadata)
    clients = OAuthClientRepository(work.connection)
    await clients.create(client, network, work.now)
    await clients.make_room(work.now)
    work.note(
        replace(Actor.system("oauth"), network=network),
        "oauth client registered",
        oauth_client_id=client.id,
        name=f"sha256:{sha256(client.name.encode()).hexdigest()[:16]}",
    )
    return client
