"""/app/integrations: shops and helpdesks that the agent can query and act on."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ConnectingPost, Post, Posted
from api.dashboard.routers.integrations.integration_view import (
    LIST,
    ONE,
    ONE_ID,
    one_page,
    tried_at,
)
from api.dashboard.typed import SECRET
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.integrations.errors import IntegrationNotFound
from domain.integrations.integration import IntegrationStatus
from domain.integrations.providers import OF_MERCHANTS, PROVIDERS, Provider
from domain.tenants.actor import ANYONE, MANAGERS
from services.integrations.connections import (
    connect_demo_shop,
    connect_integration,
    disconnect_integration,
)
from services.integrations.trials import try_integration
from store.inbound.last_signs import LastSignsReader
from store.integrations.integrations import IntegrationRepository, client_of

_NEW: Final = f"{LIST}/new/{{provider}}"
_DEMO: Final = f"{LIST}/demo-shop"
_SETTING: Final = "set."

router = APIRouter(include_in_schema=False)
ManagersPage = Annotated[Page, Depends(OnPage(MANAGERS))]
OnePage = Annotated[Page, Depends(OnPage(ANYONE, ONE_ID, client_of))]
OnePost = Annotated[Post, Depends(Posted(MANAGERS, ONE_ID, client_of))]


async def _named(request: Request) -> Provider:
    """Return the provider in the path. Raises IntegrationNotFound for a provider that merchants
    cannot connect to."""
    name = str(request.path_params["provider"])
    if name not in OF_MERCHANTS:
        raise IntegrationNotFound(name)
    return Provider(name)


NamedProvider = Annotated[Provider, Depends(_named)]


@router.get(LIST)
async def integrations(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await IntegrationRepository(connection, page.tenant).page(
            after=query.cursor, limit=query.limit + 1
        )
        shown = found[: query.limit]
        signs = await LastSignsReader(connection, page.tenant).of([one.id for one in shown])
    ended = IntegrationStatus.DISCONNECTED
    return page.render(
        "integrations/integrations.html",
        live=[one for one in shown if one.status is not ended],
        ended=[one for one in shown if one.status is ended],
        signs=signs,
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        providers=[(spec.of.value, one) for one, spec in PROVIDERS.items() if one in OF_MERCHANTS],
        has_demo=page.resources.demo_shops is not None,
        may_change=page.may(MANAGERS),
    )


@router.get(_NEW)
async def new(page: ManagersPage, provider: NamedProvider) -> Response:
    form = _NEW.format(provider=provider.value)
    return page.render(
        "integrations/connect.html",
        provider=provider,
        spec=PROVIDERS[provider],
        typed=await page.typed(form, {}),
        form=form,
        setting=_SETTING,
        secret=SECRET,
    )


@router.post(_NEW)
async def connect(post: ConnectingPost, provider: NamedProvider) -> Response:
    """Store the connection, then test it. The connection is kept even if the test fails."""
    page = post.page
    async with post.working() as work:
        made = await connect_integration(
            work,
            page.actor,
            provider,
            _given(post, _SETTING),
            _given(post, SECRET),
            sealer=page.resources.sealer,
        )
        await post.leads_to(work, ONE.format(integration_id=made.id))
    return await _tried(post, made.id)


@router.post(_DEMO)
async def connect_demo(post: ConnectingPost) -> Response:
    page, shops = post.page, post.page.resources.demo_shops
    if shops is None:
        raise IntegrationNotFound
    path = await shops.open(page.tenant, page.now)
    async with post.working() as work:
        made = await connect_demo_shop(work, page.actor, path, sealer=page.resources.sealer)
        await post.leads_to(work, ONE.format(integration_id=made.id))
    return await _tried(post, made.id)


@router.get(ONE)
async def integration(page: OnePage) -> Response:
    return await one_page(page)


@router.post(f"{ONE}/test")
async def try_one(post: OnePost) -> Response:
    one = ONE.format(integration_id=post.page.record_id)
    async with post.working(one):
        pass
    return await _tried(post, post.page.record_id)


@router.post(f"{ONE}/disconnect")
async def disconnect(post: OnePost) -> Response:
    one = ONE.format(integration_id=post.page.record_id)
    async with post.working(one) as work:
        await disconnect_integration(work, post.page.actor, post.page.record_id)
    return post.done(one, "integrations.disconnected")


async def _tried(post: Post, integration_id: str) -> Response:
    """Return a redirect to the connection's page, which then shows the test result."""
    resources = post.page.resources
    problem = await try_integration(
        resources.work,
        post.page.actor,
        post.page.tenant,
        integration_id,
        connectors=resources.connectors,
    )
    to = tried_at(integration_id, problem)
    return post.done(to) if problem else await post.step_done(to)


def _given(post: Post, prefix: str) -> dict[str, str]:
    """Return the nonempty form fields whose names start with the prefix."""
    return {
        name.removeprefix(prefix): value.strip()
        for name, value in post.fields.items()
        if name.startswith(prefix) and value.strip()
    }
