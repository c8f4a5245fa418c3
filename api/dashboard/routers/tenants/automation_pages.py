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
from domain.tenants.answer_decision import LATEST_DECISION
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
        is_latest=settings.answer_decision == LATEST_DECISION,
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
    """Start a replay of the past month with answers from knowledge sent by the latest decision."""
    variant = Variant(answers_from_knowledge=True, answer_decision=LATEST_DECISION)
    asked = ReplayAsked(variant=variant)
    async with post.working() as work:
        replay = await start_replay(work, post.page.actor, asked)
        await post.leads_to(work, f"/app/replays/{replay.id}")
    return post.done(f"/app/replays/{replay.id}", "automation.tried")


@router.post(f"{_KNOWLEDGE}/on")
async def turn_on(post: ManagersPost) -> Response:
    """Send answers from knowledge, by the latest decision."""
    on = SettingsChange(answers_from_knowledge=True, answer_decision=LATEST_DECISION)
    return await _set(post, on, "automation.knowledge_on")


@router.post(f"{_KNOWLEDGE}/off")
async def turn_off(post: ManagersPost) -> Response:
    off = SettingsChange(answers_from_knowledge=False)
    return await _set(post, off, "automation.knowledge_off")


async def _set(post: ManagersPost, change: SettingsChange, done: str) -> Response:
    async with post.working(_AUTOMATION) as work:
        await change_settings(work, post.page.actor, change)
    return post.done(_AUTOMATION, done)
