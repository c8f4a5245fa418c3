"""Management of endpoints: the URLs to which platforms send webhooks.

On some platforms, an endpoint's secret can vouch for customers or order an erasure. With several
managers, a new secret is therefore not trusted immediately (`services/tenants/loosenings.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from domain.core.ports import Sealer
from domain.inbound.author_proof import may_vouch
from domain.inbound.endpoint import (
    OVERLAP,
    SECRETS_OF_OURS,
    EndpointEntry,
    WantedEndpoint,
    made_secret,
    seal_endpoint_secret,
    token_digest,
    token_of,
)
from domain.inbound.errors import EndpointExists, InvalidEndpoint
from domain.inbound.given_secret import check_given_secret
from domain.inbound.mapping import check_mapping
from domain.inbound.platform_catalogue import DUTIFUL, PLATFORMS
from domain.integrations.errors import IntegrationNotFound
from domain.integrations.integration import IntegrationStatus
from domain.integrations.providers import Provider
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.loosening import HeldTrust
from services.core.unit_of_work import UnitOfWork
from services.tenants.loosenings import withhold
from store.inbound.endpoints import EndpointChange, EndpointRepository, NewEndpoint
from store.integrations.integrations import IntegrationRepository

_NO_OVERLAP: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class DrawnBytes:
    """TOKEN_BYTES and SECRET_BYTES random bytes for an endpoint's token and secret."""

    token: bytes = field(repr=False)
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShownEndpoint:
    """An endpoint with the values that are shown only once: the token in its URL, and a generated
    secret or None."""

    entry: EndpointEntry
    token: str = field(repr=False)
    secret: str | None = field(repr=False)


async def open_endpoint(
    work: UnitOfWork,
    actor: Actor,
    integration_id: str,
    wanted: WantedEndpoint,
    drawn: DrawnBytes,
    *,
    sealer: Sealer,
) -> ShownEndpoint:
    """Open the endpoint of a connection.

    Some platforms issue their secret only for a known URL. Without a secret, the endpoint rejects
    every webhook until `set_endpoint_secret`. Raises RoleRequired, IntegrationNotFound,
    InvalidEndpoint, EndpointExists.
    """
    actor.require(MANAGERS)
    provider = await _live_provider(work, integration_id)
    _check(provider, wanted)
    token = token_of(drawn.token)
    made = _made(provider, wanted.secret, drawn)
    endpoints = EndpointRepository(work.connection, work.tenant)
    new = NewEndpoint(
        integration_id=integration_id,
        token_digest=_digest(token),
        sealed_secret=_sealed(work, integration_id, wanted.secret or made, sealer),
        mapping=wanted.mapping,
        vouches=not await _waits(work, actor, integration_id, provider, wanted.mapping),
    )
    if not await endpoints.open(new, work.now):
        raise EndpointExists(integration_id)
    work.note(actor, "inbound endpoint opened", integration_id=integration_id)
    return ShownEndpoint(await endpoints.entry(integration_id), token, made)


async def rotate_endpoint(
    work: UnitOfWork,
    actor: Actor,
    integration_id: str,
    drawn: DrawnBytes,
    *,
    sealer: Sealer,
    overlap: timedelta = OVERLAP,
) -> ShownEndpoint:
    """Give an endpoint a new URL and, if the service generates it, a new secret.

    The previous ones stay valid for `overlap`, at most OVERLAP. Raises RoleRequired,
    IntegrationNotFound, EndpointNotFound.
    """
    actor.require(MANAGERS)
    provider = await _live_provider(work, integration_id)
    token = token_of(drawn.token)
    made = _made(provider, None, drawn)
    endpoints = EndpointRepository(work.connection, work.tenant)
    mapping = (await endpoints.entry(integration_id)).mapping
    change = EndpointChange(
        _digest(token),
        _sealed(work, integration_id, made, sealer),
        vouches=not await _waits(work, actor, integration_id, provider, mapping),
    )
    until = work.now + max(_NO_OVERLAP, min(overlap, OVERLAP))
    await endpoints.rotate(integration_id, change, previous_until=until, now=work.now)
    work.note(actor, "inbound endpoint rotated", integration_id=integration_id)
    return ShownEndpoint(await endpoints.entry(integration_id), token, made)


async def set_endpoint_secret(
    work: UnitOfWork, actor: Actor, integration_id: str, secret: str, *, sealer: Sealer
) -> EndpointEntry:
    """Store the secret that the platform issued for an endpoint. The URL stays, and the previous
    secret is valid for OVERLAP.

    Raises RoleRequired, IntegrationNotFound, InvalidEndpoint, EndpointNotFound.
    """
    actor.require(MANAGERS)
    provider = await _live_provider(work, integration_id)
    _check(provider, WantedEndpoint(secret))
    endpoints = EndpointRepository(work.connection, work.tenant)
    mapping = (await endpoints.entry(integration_id)).mapping
    change = EndpointChange(
        sealed_secret=_sealed(work, integration_id, secret, sealer),
        vouches=not await _waits(work, actor, integration_id, provider, mapping),
    )
    until = work.now + OVERLAP
    await endpoints.rotate(integration_id, change, previous_until=until, now=work.now)
    work.note(actor, "inbound secret set", integration_id=integration_id)
    return await endpoints.entry(integration_id)


async def close_endpoint(work: UnitOfWork, actor: Actor, integration_id: str) -> None:
    """Delete a connection's endpoint, if any, with its secrets. Received webhooks stay in the log.
    Raises RoleRequired, IntegrationNotFound."""
    actor.require(MANAGERS)
    await IntegrationRepository(work.connection, work.tenant).require(integration_id)
    await EndpointRepository(work.connection, work.tenant).close(integration_id)
    work.note(actor, "inbound endpoint closed", integration_id=integration_id)


async def _waits(
    work: UnitOfWork,
    actor: Actor,
    integration_id: str,
    provider: Provider,
    mapping: Mapping[str, str] | None,
) -> bool:
    """Return True if a new secret must wait before it is allowed to vouch for customers' addresses
    and to sign requests to erase customers."""
    if provider not in DUTIFUL and not may_vouch(PLATFORMS[provider].author_proof, mapping):
        return False
    trust = HeldTrust(use="endpoint", id=integration_id, since=work.now)
    return await withhold(work, actor, trust, trust.credential)


async def _live_provider(work: UnitOfWork, integration_id: str) -> Provider:
    """Return the provider of an active connection. Raises IntegrationNotFound if the connection
    does not exist or has ended."""
    found = await IntegrationRepository(work.connection, work.tenant).entry(integration_id)
    if found.status is IntegrationStatus.DISCONNECTED:
        raise IntegrationNotFound(integration_id)
    return found.provider


def _check(provider: Provider, wanted: WantedEndpoint) -> None:
    """Validate the values for an endpoint. Raises InvalidEndpoint with a message that contains none
    of these values."""
    platform = PLATFORMS.get(provider)
    if platform is None:
        raise InvalidEndpoint(f"{provider} sends no webhooks", "provider")
    if wanted.secret is not None:
        if not platform.signs:
            raise InvalidEndpoint(f"{provider} signs nothing", "secret")
        check_given_secret(provider, wanted.secret)
    if wanted.mapping is not None:
        if provider is not Provider.GENERIC:
            raise InvalidEndpoint(f"{provider} has its own form", "mapping")
        check_mapping(wanted.mapping)


def _made(provider: Provider, given: str | None, drawn: DrawnBytes) -> str | None:
    """Return a newly generated secret if the caller provided none and the service generates the
    provider's secrets. Otherwise return None."""
    return made_secret(drawn.secret) if given is None and provider in SECRETS_OF_OURS else None


def _sealed(
    work: UnitOfWork, integration_id: str, secret: str | None, sealer: Sealer
) -> str | None:
    if secret is None:
        return None
    return seal_endpoint_secret(sealer, work.tenant, integration_id, secret)


def _digest(token: str) -> bytes:
    digest = token_digest(token)
    if digest is None:
        raise ValueError("a token of TOKEN_BYTES expected")
    return digest
