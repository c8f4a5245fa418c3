"""/app/playbooks/new and /app/playbooks/ID/edit: the playbook editor, with form fields or YAML. The
draft can be tested before it is published."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.event_names import PATTERNS
from api.dashboard.flash import flash_of
from api.dashboard.page import OnPage, Page
from api.dashboard.playbook_form import (
    AS_FIELDS,
    AS_YAML,
    PLAYBOOKS,
    SHAPE,
    draft_of,
    fields_of,
    form_of,
    problems_in,
    ticked,
    yaml_of,
)
from api.dashboard.post import ManagersPost, Post
from api.dashboard.routers.playbooks.playbook_id import (
    PLAYBOOK,
    ManagersPlaybook,
    PlaybookPost,
    seen_of,
    version_seen,
)
from api.dashboard.typed import SEEN, Typed, kept_fields
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.rulebook import ActionLevel
from domain.cases.gate import GateStanding
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.merge import as_entry
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec
from domain.simulation.variant import Variant
from domain.tenants.actor import MANAGERS, OWNERS
from services.cases.case_runs import start_case_run
from services.dashboard.forms import keep_draft, standing_in
from services.playbooks.playbooks import create_playbook, update_playbook
from services.playbooks.publish_gate import Publication
from store.cases.case_outcomes import CaseOutcomes
from store.playbooks.playbooks import PlaybookRepository

router = APIRouter(include_in_schema=False)

_BLANK: Final = PlaybookSpec(name="", event_type="")


@router.get(f"{PLAYBOOKS}/new")
async def new(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    typed = await page.typed(PLAYBOOKS, {**fields_of(_BLANK), SHAPE: AS_FIELDS, "active": "false"})
    return await _editor(page, None, typed, None)


@router.get(f"{PLAYBOOK}/edit")
async def edit(page: ManagersPlaybook) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        entries = await PlaybookRepository(connection, page.tenant).all()
        there = next((one for one in entries if one.playbook.id == page.record_id), None)
    if there is None:
        there = await _read(page)
    defaults = {**fields_of(there.spec), SHAPE: AS_FIELDS}
    if (wanted := page.request.query_params.get("threshold", ""))[:5]:
        defaults["threshold"] = wanted[:5]
    typed = await page.typed(form_of(page.record_id), defaults)
    flash = flash_of(page.request)
    gate = None
    if flash is not None and flash.key == "cases_not_green":
        gate = await _gate(page, entries, typed.fields)
    return await _editor(page, there, typed, gate)


@router.post(PLAYBOOKS)
async def create(post: ManagersPost) -> Response:
    if (answer := await _other_action(post, None)) is not None:
        return answer
    draft = await draft_of(post.page, post.fields)
    publication = Publication.of(post.page.resources.model, draft.override)
    async with post.working() as work:
        made = await create_playbook(
            work, post.page.actor, draft.spec, publication, note=draft.note
        )
        await post.leads_to(work, to := f"{PLAYBOOKS}/{made.playbook.id}")
    return post.done(to, "playbooks.made", name=made.playbook.name)


@router.post(f"{PLAYBOOK}/edit")
async def publish(post: PlaybookPost) -> Response:
    page = post.page
    if (answer := await _other_action(post, page.record_id)) is not None:
        return answer
    seen = version_seen(post)
    draft = await draft_of(post.page, {**post.fields, "active": ""})
    publication = Publication.of(page.resources.model, draft.override)
    to = f"{PLAYBOOKS}/{page.record_id}"
    async with post.working(to) as work:
        there = await PlaybookRepository(standing_in(work), page.tenant).read(page.record_id)
        if seen is not None:
            draft = type(draft)(draft.spec, draft.says_active, draft.note, seen, draft.override)
        change = await update_playbook(work, page.actor, page.record_id, draft, publication)
    version = change.entry.playbook.version
    key = "playbooks.published" if version > there.playbook.version else "playbooks.unchanged"
    return post.done(to, key, version=str(version))


async def _other_action(post: Post, playbook_id: str | None) -> Response | None:
    """Handle the form's buttons other than "publish", and return the response. Return None for the
    "publish" button."""
    match post.text("do"):
        case "draft":
            return await _keep(post, post.fields, post.back, "playbooks.kept")
        case "yaml":
            written = {**post.fields, SHAPE: AS_YAML, AS_YAML: yaml_of(post.fields)}
            return await _keep(post, written, post.back)
        case "fields":
            spec = (await draft_of(post.page, post.fields)).spec
            said = {name: post.text(name) for name in ("note", SEEN) if post.text(name)}
            active = {"active": str(spec.active).lower()} if playbook_id is None else {}
            return await _keep(
                post, {**fields_of(spec), **said, **active, SHAPE: AS_FIELDS}, post.back
            )
        case "simulate":
            to = f"/app/simulator?draft_of={playbook_id or 'new'}"
            return await _keep(post, post.fields, to)
        case "cases":
            return await _run_cases(post, playbook_id)
    return None


async def _keep(
    post: Post, fields: Mapping[str, str], to: str, said: str | None = None
) -> Response:
    async with post.working(to) as work:
        await keep_draft(work, post.page.visit.user.id, post.form, kept_fields(fields))
    return post.done(to, said)


async def _run_cases(post: Post, playbook_id: str | None) -> Response:
    """Start a run of the cases on the draft, as if it were active, and keep the draft."""
    page = post.page
    spec = (await draft_of(post.page, {**post.fields, "active": ""})).spec
    async with post.working() as work:
        run = await start_case_run(work, page.actor, Variant(playbook_id=playbook_id, draft=spec))
        await keep_draft(work, page.visit.user.id, post.form, kept_fields(post.fields))
        await post.leads_to(work, to := f"/app/simulator/runs/{run.id}")
    return post.done(to, "playbooks.cases_run")


async def _read(page: Page) -> PlaybookEntry:
    async with page.resources.database.reading(page.tenant) as connection:
        return await PlaybookRepository(connection, page.tenant).read(page.record_id)


async def _gate(
    page: Page, entries: tuple[PlaybookEntry, ...], fields: Mapping[str, str]
) -> GateStanding | None:
    """Return the result of the publish gate for the draft, or None if the draft is invalid."""
    try:
        spec = (await draft_of(page, {**fields, "active": ""})).spec
    except InvalidPlaybook:
        return None
    there = next(one for one in entries if one.playbook.id == page.record_id)
    would_be = as_entry(spec, page.record_id, there.playbook.version + 1)
    stood = [would_be if one is there else one for one in entries]
    async with page.resources.database.reading(page.tenant) as connection:
        gate = await CaseOutcomes(connection, page.tenant).gate(
            stood, [page.record_id], page.resources.model
        )
    return gate[page.record_id]


async def _editor(
    page: Page, entry: PlaybookEntry | None, typed: Typed, gate: GateStanding | None
) -> Response:
    playbook_id = entry.playbook.id if entry else "new"
    return page.render(
        "playbooks/editor.html",
        entry=entry,
        typed=typed,
        gate=gate,
        form=form_of(playbook_id),
        seen=seen_of(entry.playbook) if entry else "",
        as_yaml=typed[SHAPE] == AS_YAML,
        yaml=yaml_of(typed.fields),
        theirs=yaml_of(fields_of(entry.spec)) if entry else "",
        problems=await problems_in(page, typed.fields) if typed.draft else (),
        kinds=[(kind, kind in ON_ORDERS, ticked(typed, kind)) for kind in ActionKind],
        levels=tuple(ActionLevel),
        patterns=PATTERNS,
        categories=tuple(Category),
        intents=tuple(Intent),
        may_override=page.may(OWNERS),
    )
