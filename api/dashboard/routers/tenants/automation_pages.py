"""/app/automation: a page to stop or resume all automation, and to enable or disable answers from
knowledge."""

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.people import people_of
from api.dashboard.post import ManagersPost
from domain.simulation.replay import ReplayAsked
from domain.simulation.variant import Variant
from domain.tenants.actor import MANAGERS
from domain.tenants.client_settings import SettingsChange
from services.simulation.replays import start_replay
from services.tenants.automation import resume_automation, stop_automation
from services.tenants.client_settings import change_settings
from store.tenants.automation import AutomationStops
from store.tenants.client_settings import SettingsRepository

_AUTOMATION: Final = "/app/automation"
_KNOWLEDGE: Final = f"{_AUTOMATION}/knowledge"

router = APIRouter(include_in_schema=False)


@router.get(_AUTOMATION)
async def automation(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        state = await AutomationStops(connection, page.tenant).read()
        settings = await SettingsRepository(connection, page.tenant).read()
    return page.render(
        "tenants/automation.html",
        state=state,
        answers_from_knowledge=settings.answers_from_knowledge,
        people=await people_of(page) if state.stopped else {},
        may_change=page.may(MANAGERS),
    )


@router.post(f"{_AUTOMATION}/stop")
async def stop(post: ManagersPost) -> Response:
    async with post.working(_AUTOMATION) as work:
        await stop_automation(work, post.page.actor)
    return post.done(_AUTOMATION, "automation.stopped")


@router.post(f"{_AUTOMATION}/resume")
async def resume(post: ManagersPost) -> Response:
    async with post.working(_AUTOMATION) as work:
        await resume_automation(work, post.page.actor)
    return post.done(_AUTOMATION, "automation.resumed")


@router.post(f"{_KNOWLEDGE}/try")
async def try_knowledge(post: ManagersPost) -> Response:
    """Start a replay of the past month with answers from knowledge enabled."""
    asked = ReplayAsked(variant=Variant(answers_from_knowledge=True))
    async with post.working() as work:
        replay = await start_replay(work, post.page.actor, asked)
        await post.leads_to(work, f"/app/replays/{replay.id}")
    return post.done(f"/app/replays/{replay.id}", "automation.tried")


@router.post(f"{_KNOWLEDGE}/on")
async def turn_on(post: ManagersPost) -> Response:
    return await _set(post, on=True)


@router.post(f"{_KNOWLEDGE}/off")
async def turn_off(post: ManagersPost) -> Response:
    return await _set(post, on=False)


async def _set(post: ManagersPost, *, on: bool) -> Response:
    async with post.working(_AUTOMATION) as work:
        await change_settings(work, post.page.actor, SettingsChange(answers_from_knowledge=on))
    return post.done(_AUTOMATION, "automation.knowledge_on" if on else "automation.knowledge_off")
