"""The page of a client, as shown to a signed-in user.

A route's first parameter declares it, as in `page: Annotated[Page, Depends(OnPage(MANAGERS))]`. The
route reads its data and returns `page.render(…)`.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, TypeVar
from zoneinfo import ZoneInfo

import structlog
from fastapi import Depends, Request
from pydantic import BaseModel
from starlette.datastructures import QueryParams
from starlette.responses import Response

from api.access import Member, member_of
from api.auth import limiter_key
from api.dashboard.flash import flash_of, take_flash
from api.dashboard.formats import Formats
from api.dashboard.guide_pages import guide_page
from api.dashboard.navigation import menu_of, place_of
from api.dashboard.pages import LANGUAGES, OURS, Sources, language_of
from api.dashboard.redirect import PageRedirect
from api.dashboard.session import Visit, is_poll, sign_in_address, visit_of
from api.dashboard.typed import Typed, seal_of_form
from api.http.client_address import client_network
from api.http.query import parse_query
from api.resources import Resources
from api.route import PathId
from domain.core.errors import DomainError
from domain.core.ids import TenantId, parse_ulid
from domain.dashboard.preferences import Preferences
from domain.intake.rate_limit import LimitScope
from domain.runs.inbox import InboxView
from domain.tenants.actor import ANYONE, Actor
from domain.tenants.automation import AutomationState
from domain.tenants.client import Role
from domain.tenants.errors import AccessDenied
from services.dashboard.preferences import save_preferences
from services.reviews.inbox import count_view
from store.core.database import WhoseRecord
from store.dashboard.page_drafts import PageDrafts
from store.dashboard.preferences import preferences_of
from store.identity.people import OwnClient, clients_of
from store.reviews.open_reviews import MOST
from store.tenants.automation import AutomationStops
from store.tenants.clients import ClientRepository

Q = TypeVar("Q", bound=BaseModel)

NO_CLIENT = "/app/no-client"


@dataclass(frozen=True, slots=True)
class Page:
    """The context of a page: the signed-in user, and the client shown.

    - `clients`: all of the user's clients.
    - `automation`: the stops that apply to the client.
    - `waiting`: the tickets that need the team, up to MOST + 1.
    - `record_id`: the record in the path.
    - `switched`: the record and the previous page belong to different clients.
    """

    request: Request
    resources: Resources
    visit: Visit
    tenant: TenantId
    actor: Actor
    brand_name: str
    clients: tuple[OwnClient, ...]
    preferences: Preferences
    automation: AutomationState
    waiting: int
    now: datetime
    record_id: str = ""
    switched: bool = False

    @property
    def language(self) -> str:
        chosen = self.preferences.language
        return chosen if chosen in LANGUAGES else language_of(self.request)

    @property
    def waiting_count(self) -> str:
        """Return the number of tickets that need the team, as shown in the menu: “14”, “1,000+”, or
        an empty string."""
        if not self.waiting:
            return ""
        return self.formats.number(min(self.waiting, MOST)) + ("+" if self.waiting > MOST else "")

    @property
    def formats(self) -> Formats:
        return Formats(self.language, ZoneInfo(self.preferences.time_zone), self.now)

    @property
    def path(self) -> str:
        """Return the page's path with its query string. A rejected form redirects to this path."""
        url = self.request.url
        return url.path + (f"?{url.query}" if url.query else "")

    def may(self, roles: Set[Role]) -> bool:
        return self.actor.may(roles)

    def query(self, model: type[Q]) -> Q:
        """Return the query, validated against the model without empty filters. Raises
        InvalidQuery."""
        given = [(name, value) for name, value in self.request.query_params.multi_items() if value]
        return parse_query(model, QueryParams(given))

    async def typed(self, form: str, defaults: Mapping[str, str]) -> Typed:
        """Return the initial fields of a form: the user's unsent draft, or the `defaults` if there
        is no draft. `form` is the form's submission path. After a rejection, the fields with a
        problem state it."""
        async with self.resources.database.reading(self.tenant) as connection:
            draft = await PageDrafts(connection, self.tenant, self.visit.user.id).read(form)
        typed = Typed.of(defaults, draft)
        flash = flash_of(self.request)
        if draft is None or flash is None or flash.kind != "problem":
            return typed
        return typed.rejected(self.resources.pages.problems(self.language, flash.reason))

    def say(self, key: str, **facts: object) -> str:
        """Return the text with this key in the user's language, as `Pages.say` does."""
        return self.resources.pages.say(self.language, key, facts)

    def render(
        self,
        template: str,
        *,
        sources: Sources = OURS,
        status_code: int = 200,
        inbox_view: str = "",
        saved_views: Mapping[str, str] | None = None,
        **facts: object,
    ) -> Response:
        """Return the rendered template, which extends `core/app.html` and receives this page as
        `page`.

        `sources` are those that the page may load from, by default our origin. `inbox_view` and
        `saved_views` are for the menu: the page's inbox view, and the names of saved views by id.
        """
        flash = None if is_poll(self.request) else flash_of(self.request)
        path = self.request.url.path
        here = place_of(path, inbox_view)
        answer = self.resources.pages.render_app(
            self.request,
            template,
            sources=sources,
            status_code=status_code,
            language=self.language,
            formats=self.formats,
            page=self,
            menu=menu_of(self.actor, saved_views),
            here=here,
            help_page=(
                guide_page(here, path, self.language) if self.resources.guide.is_built else ""
            ),
            flash=flash,
            who=seal_of_form(self.resources.sealer, self.visit.user.id, self.tenant, self.now),
            new_id=self.resources.new_id,
            **facts,
        )
        if flash is not None:
            take_flash(self.request, answer)
        return answer


async def count_page(request: Request, visit: Visit) -> None:
    """Count a request toward the user's limit. Raises TooManyRequests."""
    resources: Resources = request.app.state.resources
    request.state.caller = limiter_key(visit.user)
    await resources.limiter.check_request(
        request, LimitScope.PAGES, request.state.caller, resources.now()
    )


class OnPage:
    """A dependency that returns the page, for members with one of the `roles`.

    `path_id` is a record's path parameter, and `client_of` returns the record's client, to which
    the page switches. Users who are not signed in, or have no client, are redirected. Raises
    TooManyRequests and RoleRequired, and `path_id.missing` if the user is not a member of that
    client.
    """

    def __init__(
        self,
        roles: Set[Role] = ANYONE,
        path_id: PathId | None = None,
        client_of: WhoseRecord | None = None,
    ) -> None:
        self.roles = roles
        self._path_id = path_id
        self._client_of = client_of

    async def __call__(self, request: Request) -> Page:
        visit = await visit_of(request)
        if visit is None:
            raise PageRedirect(sign_in_address(request))
        await count_page(request, visit)
        return await self.of(request, visit)

    async def of(
        self, request: Request, visit: Visit, form_of: TenantId | None = None, *, stays: bool = True
    ) -> Page:
        """Return the page, as `__call__` does, for a request already authenticated and counted.

        `form_of`, the client of the rendered form, takes precedence over a later switch. If `stays`
        is true, later pages also show that client.
        """
        resources: Resources = request.app.state.resources
        record_id = ""
        if self._path_id is not None:
            record_id = await self._path_id(request)
        page = replace(await _page_of(request, visit, form_of, stays=stays), record_id=record_id)
        request.state.page = page
        if self._client_of is not None:
            owner = await resources.database.find_client(self._client_of, record_id)
            request.state.page = page = await self._at(page, owner)
        page.actor.require(self.roles)
        request.state.tenant = page.tenant
        resources.limiter.check_cpu(page.tenant)
        structlog.contextvars.bind_contextvars(client_id=page.tenant)
        return page

    async def _at(self, page: Page, owner: TenantId) -> Page:
        """Return the page, switched to the record's client if necessary. If the user may not act
        for that client, raises `path_id.missing`, or AccessDenied if there is no `path_id`."""
        if owner == page.tenant:
            return page
        network = client_network(page.request)
        member = await member_of(page.visit.user, owner, page.resources, network)
        if member is None:
            if self._path_id is None:
                raise AccessDenied
            raise self._path_id.missing
        return await _switched(page, member)


async def _page_of(
    request: Request, visit: Visit, form_of: TenantId | None, *, stays: bool
) -> Page:
    """Return a page for the client in the form, else the client in the query, else the last client
    shown, else the user's first client. A user without a client is redirected. Raises
    AccessDenied."""
    resources: Resources = request.app.state.resources
    async with resources.database.reading_across() as connection:
        preferences = await preferences_of(connection, visit.user.id)
        mine = await clients_of(connection, visit.user.id)
        named = form_of or parse_ulid(request.query_params.get("client_id", ""))
        wanted = named or preferences.client_id
        own = next((one for one in mine if one.id == wanted), None)
        if own is None and visit.user.is_admin and wanted is not None:
            brand = await ClientRepository(connection).brand_name(wanted)
        elif own is None and named is not None:
            raise AccessDenied
        else:
            own = own or next(iter(mine), None)
            if own is None:
                raise PageRedirect(NO_CLIENT)
            wanted, brand = own.id, own.brand_name
        tenant = TenantId(wanted)
        role = None if visit.user.is_admin or own is None else own.role
        actor = Actor.person(visit.user.id, role, network=client_network(request))
        automation = await AutomationStops(connection, tenant).read()
        waiting = await count_view(connection, tenant, actor, InboxView.NEEDS, now=resources.now())
    page = Page(
        request=request,
        resources=resources,
        visit=visit,
        tenant=tenant,
        actor=actor,
        brand_name=brand,
        clients=mine,
        preferences=preferences,
        automation=automation,
        waiting=waiting,
        now=resources.now(),
    )
    # A poll of an open page does not switch the client of other tabs.
    if stays and named is not None and named != preferences.client_id and not is_poll(request):
        await _remember(page, named)
    return page


async def _switched(page: Page, member: Member) -> Page:
    await _remember(page, member.tenant)
    async with page.resources.database.reading_across() as connection:
        brand = await ClientRepository(connection).brand_name(member.tenant)
        automation = await AutomationStops(connection, member.tenant).read()
        waiting = await count_view(
            connection, member.tenant, member.actor, InboxView.NEEDS, now=page.now
        )
    return replace(
        page,
        tenant=member.tenant,
        actor=member.actor,
        brand_name=brand,
        automation=automation,
        waiting=waiting,
        switched=True,
    )


async def _remember(page: Page, client_id: str) -> None:
    """Store the client that subsequent pages show."""
    wanted = replace(page.preferences, client_id=client_id)
    async with page.resources.work.everywhere() as work:
        await save_preferences(work, page.visit.user.id, wanted)


async def page_at_error(request: Request, status: int) -> Page | None:
    """Return the page that surrounds an error, with the menu, or None if it cannot be built.

    After a server error or a rate limit, by `status`, the database is not queried.
    """
    page: Page | None = getattr(request.state, "page", None)
    if page is not None or status >= 500 or status == 429:
        return page
    try:
        visit = await visit_of(request)
        if visit is None:
            return None
        await count_page(request, visit)
        return await OnPage().of(request, visit, stays=False)
    except (DomainError, PageRedirect):
        return None


AnyonesPage = Annotated[Page, Depends(OnPage())]
