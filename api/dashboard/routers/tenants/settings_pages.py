"""/app/settings and below: the shop's brand, its replies, the AI disclosure, and the words that
send a message to the team. Each section has its own page."""

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, Page
from api.dashboard.post import ManagersPost, Post
from api.dashboard.settings_form import BRAND, DISCLOSURE, REPLIES, SAFETY, TABS, SettingsSection
from api.schemas.tenants.settings import SettingsBody
from domain.tenants.actor import MANAGERS
from services.dashboard.forms import standing_in
from services.tenants.client_settings import change_settings
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository

router = APIRouter(include_in_schema=False)


@router.get(BRAND.path)
async def brand(page: AnyonesPage) -> Response:
    return await _shown(page, BRAND)


@router.get(REPLIES.path)
async def replies(page: AnyonesPage) -> Response:
    return await _shown(page, REPLIES)


@router.get(DISCLOSURE.path)
async def disclosure(page: AnyonesPage) -> Response:
    return await _shown(page, DISCLOSURE)


@router.get(SAFETY.path)
async def safety(page: AnyonesPage) -> Response:
    return await _shown(page, SAFETY)


@router.post(BRAND.path)
async def change_brand(post: ManagersPost) -> Response:
    return await _changed(post, BRAND)


@router.post(REPLIES.path)
async def change_replies(post: ManagersPost) -> Response:
    return await _changed(post, REPLIES)


@router.post(DISCLOSURE.path)
async def change_disclosure(post: ManagersPost) -> Response:
    return await _changed(post, DISCLOSURE)


@router.post(SAFETY.path)
async def change_safety(post: ManagersPost) -> Response:
    return await _changed(post, SAFETY)


async def _shown(page: Page, section: SettingsSection) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await SettingsRepository(connection, page.tenant).read()
    fields = section.read(found)
    return page.render(
        "tenants/settings.html",
        section=section,
        tabs=TABS,
        here_tab=section.name,
        typed=await page.typed(section.path, fields),
        form=section.path,
        seen=section.seen(found),
        theirs=fields,
        may_change=page.may(MANAGERS),
    )


async def _changed(post: Post, section: SettingsSection) -> Response:
    wanted = post.body(SettingsBody, **section.body(post)).change
    async with post.working(section.path) as work:
        await AccountRepository(standing_in(work), work.tenant).lock()
        there = await SettingsRepository(standing_in(work), work.tenant).read()
        post.check_seen(section.seen(there))
        await change_settings(work, post.page.actor, wanted)
    return post.done(section.path, "settings.saved")
