"""POST /api/webhooks/…: receives webhooks from a merchant's shop, helpdesk or mailbox. Only
platforms call these routes, in the platforms' formats."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import structlog
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.error_response import error_response
from api.http.client_address import limited_address, limited_networks
from api.http.json_body import MAX_SECONDS, announced_length, body_within, json_response
from api.inbound_start import begin_work
from api.openapi import path_text
from api.received_route import described_receiver
from api.resources import Resources, ResourcesDep
from domain.core.errors import BodyTooLarge, DomainError
from domain.core.ids import TenantId
from domain.inbound.app_level import account_of, signed_identity
from domain.inbound.contracts import WebhookRef
from domain.inbound.endpoint import AccountOwner, OpenEndpoint, token_digest
from domain.inbound.errors import InboundAddressUnknown, InboundBusy, InboundRefused, RefusalReason
from domain.inbound.headers import headers_of_platform
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.platform_catalogue import PLATFORMS, platform_of
from domain.inbound.ports import Platform
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope
from domain.integrations.providers import Provider
from services.core.fair_room import RoomShare
from services.inbound.receiving import Believed, believe, kind_of, take
from store.inbound.webhooks import KeptAs

router = APIRouter(tags=["inbound_webhooks"])

_ADDRESS: Final = "/api/webhooks"
_SMALL: Final = 1024 * 1024
# Timeout for a large body, in seconds. The timeout is long because servers that send emails with
# attachments can be slow.
_LARGE_SECONDS: Final = 30.0
_RECEIVED: Final = {"received": True}
# The statuses after which a platform does not retry.
_REFUSED: Final = (401, 403, 404, 406)
_PATH: Final = (
    path_text("provider", "Name of the platform, such as `zendesk`."),
    path_text("token", "Secret token of the endpoint."),
)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Sender:
    """The claimed sender of a webhook. `key` counts its rejected requests. `vouches` means that its
    secret is trusted. `tenant` is None for the installation's URLs."""

    platform: Platform
    secrets: tuple[str, ...]
    key: str
    vouches: bool = False
    tenant: TenantId | None = None


# This route does not match URLs with a token, because these have one more path segment.
@router.post(
    f"{_ADDRESS}/shopify",
    operation_id="inbound_webhooks.receive_shopify",
    summary="Receive a webhook of the installation's Shopify app",
    **described_receiver(_REFUSED),
)
async def shopify_webhook(request: Request, resources: ResourcesDep) -> Response:
    """Receive a webhook for the installation's own Shopify app, from any shop that has installed
    the app."""
    secrets = resources.settings.inbound.shopify_secrets
    return await _of_installation(request, resources, Provider.SHOPIFY, secrets)


@router.post(
    f"{_ADDRESS}/stripe",
    operation_id="inbound_webhooks.receive_stripe",
    summary="Receive an event of the installation's Stripe account",
    **described_receiver(_REFUSED),
)
async def stripe_connect_webhook(request: Request, resources: ResourcesDep) -> Response:
    """Receive an event for an account that is connected to the installation's own Stripe
    account."""
    secrets = resources.settings.inbound.stripe_secrets
    return await _of_installation(request, resources, Provider.STRIPE, secrets)


@router.post(
    f"{_ADDRESS}/{{provider}}/{{token}}",
    operation_id="inbound_webhooks.receive",
    summary="Receive a platform's webhook",
    **described_receiver(_REFUSED, _PATH),
)
async def webhook(request: Request, resources: ResourcesDep) -> Response:
    """Receive a webhook. Return 200 once the webhook is stored, even if it was already stored
    earlier. If the webhook is rejected, return a status after which the platform does not retry. If
    the webhook cannot be stored now, return a status after which the platform retries."""
    platform = platform_of(request.path_params["provider"])
    endpoint = await _endpoint(platform, request.path_params["token"], resources)
    if endpoint is None:
        # A request to a missing endpoint gets the same response as one with an invalid signature.
        # The body is not read.
        return _refused(request, platform, InboundRefused(RefusalReason.SIGNATURE_WRONG))
    structlog.contextvars.bind_contextvars(client_id=endpoint.tenant)
    sender = _Sender(
        platform,
        endpoint.secrets(resources.sealer),
        endpoint.integration_id,
        endpoint.vouches,
        endpoint.tenant,
    )
    try:
        if platform.is_limited:
            await _check_pace(request, resources, endpoint.integration_id)
        with _place(request, resources, endpoint.tenant) as place:
            came = await _came(request, platform, place)
            believed = await _believed(request, came, sender, resources)
            if believed is not None:
                _require_taker(endpoint.owner, believed, platform)
                await _keep(came, believed, (endpoint.owner,), sender, resources)
    except (InboundRefused, BodyTooLarge, TooManyRequests) as refused:
        reason = _reason(refused)
        resources.inbound.refusals.note(
            endpoint.tenant, endpoint.integration_id, reason, resources.now()
        )
        # A request with an unreadable body does not count against its sender, because platforms
        # relay messages that anyone may have written.
        if isinstance(refused, InboundRefused) and reason is not RefusalReason.UNREADABLE:
            await _count_refusal(request, resources, sender)
        if isinstance(refused, TooManyRequests):
            raise
        return _refused(request, platform, refused)
    return json_response(_RECEIVED)


async def _of_installation(
    request: Request, resources: Resources, provider: Provider, secrets: tuple[str, ...]
) -> Response:
    if not secrets:
        raise InboundAddressUnknown(provider)
    # The secrets are trusted because managers of clients have no access to them.
    sender = _Sender(PLATFORMS[provider], secrets, provider, vouches=True)
    try:
        with _place(request, resources, None) as place:
            came = await _came(request, sender.platform, place)
            believed = await _believed(request, came, sender, resources)
            if believed is not None:
                account = account_of(provider, came)
                await _check_app_pace(request, resources, provider)
                believed = _by_body(came, believed, sender.platform, resources)
                owners = await _owners(account, believed, sender, resources)
                await _keep(came, believed, owners, sender, resources)
    except (InboundRefused, BodyTooLarge) as refused:
        await _count_refusal(request, resources, sender)
        return _refused(request, sender.platform, refused)
    return json_response(_RECEIVED)


def _by_body(
    came: InboundRequest, believed: Believed, platform: Platform, resources: Resources
) -> Believed:
    """Return the webhook with an identity from its signed bytes only."""
    kind = kind_of(platform, believed)
    identity = signed_identity(
        platform.provider, believed.identity, came, kind=kind, now=resources.now()
    )
    return replace(believed, identity=identity)


async def _check_app_pace(request: Request, resources: Resources, provider: Provider) -> None:
    """Count an accepted request at the installation's URL. Raises TooManyRequests. Anyone with one
    signed body could otherwise send it without limit."""
    await resources.limiter.check_networks(
        LimitScope.INBOUND_APP, limited_networks(request), resources.now(), of=f"{provider}/"
    )


def _place(
    request: Request, resources: Resources, tenant: TenantId | None
) -> AbstractContextManager[RoomShare]:
    """Reserve memory for the body, counted toward the limits of the sender's address and the
    client. `tenant`: the client, or None for the installation's URLs."""
    address = ("address", limited_address(request))
    if tenant is None:
        return resources.inbound.app_room.place(address)
    return resources.inbound.room.place(("client", tenant), address)


async def _endpoint(platform: Platform, token: str, resources: Resources) -> OpenEndpoint | None:
    digest = token_digest(token)
    endpoint = await resources.inbound.endpoints.get(digest) if digest is not None else None
    return endpoint if endpoint is not None and endpoint.provider is platform.provider else None


async def _owners(
    account: str | None, believed: Believed, sender: _Sender, resources: Resources
) -> tuple[AccountOwner, ...]:
    """Return every integration that accepts this kind of webhook and has credentials for the
    platform account. If there is none, increment a metric."""
    owners: tuple[AccountOwner, ...] = ()
    platform = sender.platform
    if account is not None:
        owners = await resources.inbound.owners(platform.provider, account, resources.now())
    takers = tuple(one for one in owners if one.takes(kind_of(platform, believed)))
    if not takers:
        resources.metrics.of_nobody(platform.provider)
    return takers


def _require_taker(owner: AccountOwner, believed: Believed, platform: Platform) -> None:
    """Raise InboundRefused if the connection does not accept this kind of webhook. The caller gets
    the same response as for a missing endpoint."""
    if not owner.takes(kind_of(platform, believed)):
        raise InboundRefused(RefusalReason.CONNECTION_ENDED)


async def _check_pace(request: Request, resources: Resources, integration_id: str) -> None:
    """Count the request. Raises TooManyRequests for an endpoint beyond its limit, or an address
    with too many rejected requests. Platforms send for many merchants from one address, so accepted
    requests are not limited by it."""
    now = resources.now()
    networks = limited_networks(request)
    resources.limiter.check_known(
        LimitScope.INBOUND_REFUSED, networks, now, of=f"{integration_id}/"
    )
    await resources.limiter.check(LimitScope.INBOUND, integration_id, now)


async def _count_refusal(request: Request, resources: Resources, sender: _Sender) -> None:
    """Count a rejected request from the address. Raises TooManyRequests if too many requests have
    been rejected."""
    # Rejected requests are counted per endpoint. Webhooks to one shop from a shared address
    # therefore do not use up another shop's limit.
    await resources.limiter.check_networks(
        LimitScope.INBOUND_REFUSED,
        limited_networks(request),
        resources.now(),
        of=f"{sender.key}/",
    )


async def _came(request: Request, platform: Platform, place: RoomShare) -> InboundRequest:
    """Return the headers and the raw body, without parsing the body. Raises InboundRefused,
    BodyTooLarge, InboundBusy, BodyTooSlow, InvalidBody."""
    headers = headers_of_platform(request.headers.items())
    announced_length(request, at_most=platform.max_body)
    seconds = MAX_SECONDS if platform.max_body <= _SMALL else _LARGE_SECONDS
    body = await body_within(request, at_most=platform.max_body, seconds=seconds, place=place)
    return InboundRequest(headers, body)


async def _believed(
    request: Request, came: InboundRequest, sender: _Sender, resources: Resources
) -> Believed | None:
    """Return the verified webhook, or None for a platform's test request. Raises InboundRefused,
    and InboundBusy if a large body waits too long to be read."""
    reading = partial(believe, sender.platform, came, sender.secrets, resources.now())
    reader = sender.tenant or ("address", limited_address(request))
    return await resources.inbound.gates.reading(reader, came, reading)


async def _keep(
    came: InboundRequest,
    believed: Believed,
    owners: tuple[AccountOwner, ...],
    sender: _Sender,
    resources: Resources,
) -> None:
    """Store the webhook for each integration that accepts it, and start processing. Raises
    CallerBusy, InboundBusy and EngineUnavailable.

    The platform then repeats the webhook, and integrations that stored it detect the duplicate. One
    client's limits do not affect the others.
    """
    full: InboundBusy | None = None
    for owner in owners:
        tenant = owner.tenant
        named = believed.of(owner.integration_id, came, vouches=sender.vouches)
        gates = resources.inbound.gates
        try:
            kept = await take(resources.work, gates, tenant, sender.platform, named)
        except InboundBusy as busy:
            full = busy
            continue
        resources.metrics.webhook_came(sender.platform.provider, kept.was)
        if kept.was is KeptAs.CONFLICT:
            _log.warning(
                "inbound webhook repeated with a different body",
                client_id=tenant,
                webhook_id=kept.id,
            )
        if kept.starts:
            await begin_work(WebhookRef(client_id=tenant, webhook_id=kept.id), resources)
    if full is not None:
        raise full


def _reason(refused: DomainError) -> RefusalReason:
    match refused:
        case InboundRefused(reason=reason):
            return reason
        case BodyTooLarge():
            return RefusalReason.TOO_LARGE
        case _:
            return RefusalReason.TOO_MANY


def _refused(request: Request, platform: Platform, refused: DomainError) -> Response:
    """Return the error response in our format, with a status after which the platform does not
    retry."""
    response = error_response(refused, request.state.request_id, request)
    response.status_code = platform.refusal_status
    if response.status_code != 401 and "www-authenticate" in response.headers:
        del response.headers["www-authenticate"]
    resources: Resources = request.app.state.resources
    resources.metrics.refused(refused.code)
    return response
