"""/app/policy: the agent's permissions as one matrix of actions, with channel-specific
exceptions."""

from functools import partial
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, Page
from api.dashboard.people import people_of
from api.dashboard.playbook_form import PlacedProblem, placed
from api.dashboard.policy_form import (
    POLICY,
    levels_of,
    policy_edit_in,
    policy_fields,
    said_change,
    said_limits,
)
from api.dashboard.post import ManagersPost, Post
from api.dashboard.routers.playbooks.playbook_id import PlaybookPage, PlaybookPost
from api.dashboard.typed import SEEN, kept_fields
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ON_ORDERS
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.policy_matrix import PolicyEdit, read_policy
from domain.simulation.variant import DraftedPlaybook, Variant
from domain.tenants.actor import MANAGERS, OWNERS
from services.cases.case_runs import start_case_run
from services.dashboard.forms import keep_draft, standing_in
from services.playbooks.policy import (
    PolicyPreview,
    list_current_versions,
    preview_policy,
    report_policy,
    save_policy,
)
from services.playbooks.publish_gate import Publication
from store.playbooks.playbooks import PlaybookRepository

router = APIRouter(include_in_schema=False)

_CHANNEL: Final = f"{POLICY}/{{playbook_id}}"


@router.get(POLICY)
async def policy(page: AnyonesPage) -> Response:
    return await _matrix(page, None)


@router.get(f"{POLICY}/versions")
async def versions(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await list_current_versions(connection, page.tenant, page.actor)
    return page.render("playbooks/policy_versions.html", found=found, people=await people_of(page))


@router.get(_CHANNEL)
async def channel(page: PlaybookPage) -> Response:
    return await _matrix(page, page.record_id)


@router.post(POLICY)
async def publish(post: ManagersPost) -> Response:
    return await _submitted(post, None)


@router.post(_CHANNEL)
async def publish_channel(post: PlaybookPost) -> Response:
    return await _submitted(post, post.page.record_id)


async def _submitted(post: Post, channel_id: str | None) -> Response:
    """Save, test or publish the draft."""
    page, to = post.page, _form_of(channel_id)
    if post.text("do") == "draft":
        async with post.working(to) as work:
            await keep_draft(work, page.visit.user.id, post.form, kept_fields(post.fields))
        return post.done(to, "policy.kept")
    async with page.resources.database.reading(page.tenant) as connection:
        live = read_policy(await PlaybookRepository(connection, page.tenant).all())
    edit = policy_edit_in(post.fields, live, channel_id)
    if post.text("do") == "cases":
        return await _run_cases(post, edit, to)
    publication = Publication.of(page.resources.model, post.text("override").strip() or None)
    async with post.working(to) as work:
        changes = await save_policy(work, page.actor, edit, publication, seen=post.text(SEEN))
    key = "policy.published" if changes else "policy.unchanged"
    return post.done(to, key, count=page.formats.number(len(changes)))


async def _run_cases(post: Post, edit: PolicyEdit, to: str) -> Response:
    """Start a test run of all playbooks that the draft changes, and keep the draft."""
    page = post.page
    async with post.working(to) as work:
        preview = await preview_policy(
            standing_in(work), page.tenant, page.actor, edit, page.resources.model
        )
        await keep_draft(work, page.visit.user.id, post.form, kept_fields(post.fields))
        if not preview.changed:
            return post.done(to, "policy.unchanged")
        (first, spec), *others = preview.changed
        drafts = tuple(DraftedPlaybook(playbook_id=one, draft=other) for one, other in others)
        variant = Variant(playbook_id=first, draft=spec, others=drafts)
        run = await start_case_run(work, page.actor, variant)
        await post.leads_to(work, at := f"/app/simulator/runs/{run.id}")
    return post.done(at, "playbooks.cases_run")


def _form_of(channel_id: str | None) -> str:
    return POLICY if channel_id is None else f"{POLICY}/{channel_id}"


async def _matrix(page: Page, channel_id: str | None) -> Response:
    form = _form_of(channel_id)
    async with page.resources.database.reading(page.tenant) as connection:
        report = await report_policy(connection, page.tenant, page.actor, page.now)
    policy = report.policy
    chosen = None if channel_id is None else policy.channel(channel_id)
    typed = await page.typed(form, policy_fields(policy, channel_id))
    preview: PolicyPreview | None = None
    problems: tuple[PlacedProblem, ...] = ()
    if typed.draft is not None and page.may(MANAGERS):
        try:
            preview = await _preview(page, policy_edit_in(typed.fields, policy, channel_id))
        except InvalidPlaybook as error:
            problems = await placed(page, error, None)
    return page.render(
        "playbooks/policy.html",
        policy=policy,
        chosen=chosen,
        figures=report.figures,
        form=form,
        typed=typed,
        seen=policy.digest,
        problems=problems,
        changes=[said_change(page, one) for one in preview.differences] if preview else [],
        gate=preview.gate if preview and preview.changed else None,
        limits=partial(said_limits, page),
        levels=levels_of,
        on_orders=ON_ORDERS,
        categories=tuple(Category),
        intents=tuple(Intent),
        may_change=page.may(MANAGERS),
        may_override=page.may(OWNERS),
    )


async def _preview(page: Page, edit: PolicyEdit) -> PolicyPreview:
    async with page.resources.database.reading(page.tenant) as connection:
        return await preview_policy(connection, page.tenant, page.actor, edit, page.resources.model)
