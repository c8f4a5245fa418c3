"""The caller of the widget's routes: a page identified by the widget key in the URL.

The key is public. It only allows pages on the client's sites to chat as a visitor, within rate
limits.
"""

from dataclasses import dataclass, field
from typing import Annotated, Final

import structlog
from fastapi import Depends, Request

from api.auth import check_scope, key_holder, note_use
from api.http.client_address import (
    NO_ADDRESS,
    LimitedNetwork,
    client_network,
    limited_address,
    limited_networks,
)
from api.openapi import WIDGET_KEY
from api.resources import Resources
from api.route import Part, body_arrived
from domain.core.errors import DomainError
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import Actor
from domain.tenants.api_key import OWN
from domain.tenants.client_settings import is_widget_key
from domain.tenants.errors import ApiKeyMissing, Unauthenticated
from domain.tenants.scopes import Scope
from domain.widget.errors import ApiKeyNotAccepted, OriginNotAllowed
from domain.widget.origin import may_call
from domain.widget.widget import Widget
from services.core.shared_reads import SharedReads
from services.widget.api_key_use import NOTED_EVERY, note_api_key_use
from store.core.database import Database
from store.exports.payer import is_payer
from store.widget.widget_keys import client_of_widget
from store.widget.widgets import WidgetRepository

WIDGET_VALUES: Final = 100
"""Maximum number of values in a body of the widget's routes. The largest model has six fields."""

_ACTOR: Final = Actor.system("widget")


@dataclass(frozen=True, slots=True)
class WidgetCaller:
    """A page on a client's site that calls the widget's routes. `key` is the presented widget key.
    `networks` are the address's rate limit keys."""

    tenant: TenantId
    actor: Actor
    widget: Widget
    networks: tuple[LimitedNetwork, ...]
    key: str = field(repr=False)

    async def count(self, resources: Resources, scope: LimitScope) -> None:
        """Count a request toward the limit of the caller's address. Raises TooManyRequests."""
        # Requests from an address are counted per client. Visitors who share an address therefore
        # do not use up another shop's limit.
        of = f"{self.tenant}/"
        await resources.limiter.check_networks(scope, self.networks, resources.now(), of=of)


class WidgetPage(Part):
    """A dependency that returns the page that sent the request, counted by address. Raises
    ApiKeyMissing, Unauthenticated, ApiKeyNotAccepted, InsufficientScope, OriginNotAllowed,
    TooManyRequests."""

    security = WIDGET_KEY
    refusals = (403,)
    counted = False

    async def __call__(self, request: Request) -> WidgetCaller:
        resources: Resources = request.app.state.resources
        caller = await self._known(request, resources)
        structlog.contextvars.bind_contextvars(client_id=caller.tenant)
        request.state.caller = f"widget:{caller.tenant}/{caller.networks[0].name}"
        await caller.count(resources, LimitScope.WIDGET)
        # A widget key is public, so only an API key gives access that its caller can lose.
        if caller.actor is not _ACTOR and await body_arrived(request):
            caller = await widget_caller(request, resources)
        return caller

    async def _known(self, request: Request, resources: Resources) -> WidgetCaller:
        """Return the page. Rejected requests are charged to the address, for each shop. A stranger
        at a shared address therefore cannot block all shops."""
        address, limiter = limited_address(request), resources.limiter
        try:
            caller = await widget_caller(request, resources)
        except DomainError:
            limiter.check_sender(request, f"widget/{address}")
            raise
        if address != NO_ADDRESS:
            limiter.check_sender(request, f"widget/{caller.tenant}/{address}")
        return caller


async def widget_caller(request: Request, resources: Resources) -> WidgetCaller:
    """Return the page if its widget key and origin are valid now. Open streams check this
    periodically. Raises ApiKeyMissing, Unauthenticated, ApiKeyNotAccepted, InsufficientScope,
    OriginNotAllowed."""
    given = request.query_params.getlist("api_key")
    if not any(given):
        raise ApiKeyMissing
    if len(given) > 1:
        raise Unauthenticated
    (key,) = given
    if key.startswith(OWN):
        return await _with_api_key(key, request, resources)
    tenant = await resources.widget_keys.get(key) if is_widget_key(key) else None
    if tenant is None:
        raise Unauthenticated
    widget = await resources.widgets.get(tenant)
    _check_origin(request, widget, needed=True)
    return WidgetCaller(tenant, _ACTOR, widget, limited_networks(request), key)


async def _with_api_key(key: str, request: Request, resources: Resources) -> WidgetCaller:
    holder = await key_holder(key, resources)
    tenant = TenantId(holder.client_id)
    widget = await resources.widgets.get(tenant)
    if not widget.accepts_api_keys:
        raise ApiKeyNotAccepted
    check_scope(holder, Scope.EVENTS_WRITE)
    _check_origin(request, widget, needed=False)
    note_use(request, holder)
    actor = Actor.key(holder.id, network=client_network(request))
    await _warn(tenant, actor, widget, resources)
    return WidgetCaller(tenant, actor, widget, limited_networks(request), key)


def _check_origin(request: Request, widget: Widget, *, needed: bool) -> None:
    """Raise OriginNotAllowed unless the client allows the page's origin."""
    if not may_call(request.headers.getlist("origin"), widget.allowed_origins, needed=needed):
        raise OriginNotAllowed


async def _warn(tenant: TenantId, actor: Actor, widget: Widget, resources: Resources) -> None:
    used_at = widget.api_key_used_at
    if used_at is not None and used_at > resources.now() - NOTED_EVERY:
        return
    async with resources.work.of(tenant) as work:
        await note_api_key_use(work, actor)


def widget_key_reads(database: Database, now: Clock) -> SharedReads[str, TenantId | None]:
    """Return a reader that looks up the client for a presented widget key. Concurrent callers with
    the same key share one database read, as in `key_reads` of `api/auth.py`."""

    async def read(key: str) -> TenantId | None:
        async with database.unscoped() as connection:
            return await client_of_widget(connection, key, now())

    return SharedReads(read)


def widget_reads(database: Database) -> SharedReads[TenantId, Widget]:
    """Return a reader that looks up a client's widget."""

    async def read(tenant: TenantId) -> Widget:
        async with database.reading(tenant) as connection:
            return await WidgetRepository(connection, tenant).read()

    return SharedReads(read)


def payer_reads(database: Database, now: Clock) -> SharedReads[TenantId, bool]:
    """Return a reader that checks whether a client has a paid plan. The plan determines the limits
    for the client's streams."""

    async def read(tenant: TenantId) -> bool:
        return await is_payer(database, tenant, now())

    return SharedReads(read)


WidgetPageDep = Annotated[WidgetCaller, Depends(WidgetPage())]
