"""/app/playbooks/ID/threshold, /shadow and /gate: reports computed from a playbook's past events
and its cases."""

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.charts import BarChart, ChartColumn, ChartMark, bar_chart
from api.dashboard.page import Page
from api.dashboard.routers.playbooks.playbook_id import (
    PLAYBOOK,
    PlaybookPage,
    ReviewersPlaybookPost,
)
from api.schemas.learning.playbook_report import AdviceQuery
from api.schemas.playbooks.gate_answer import GateQuery
from domain.agent.brain import Category
from domain.learning.threshold_advice import ThresholdPoint
from domain.playbooks.merge import as_entry
from domain.simulation.variant import LIVE, Variant
from domain.tenants.actor import MANAGERS, REVIEWERS
from services.cases.case_runs import start_case_run
from services.dashboard.forms import standing_in
from services.learning.playbook_reports import ThresholdPicture, shadow_report, threshold_picture
from store.cases.case_outcomes import CaseOutcomes
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions

router = APIRouter(include_in_schema=False)


@router.get(f"{PLAYBOOK}/threshold")
async def threshold(page: PlaybookPage) -> Response:
    wanted = page.query(AdviceQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        picture = await threshold_picture(
            connection, page.tenant, page.record_id, wanted.classification
        )
    advice = picture.advice
    return page.render(
        "playbooks/threshold.html",
        entry=picture.entry,
        advice=advice,
        current=_said(page, advice.current),
        suggested=advice.suggested and _said(page, advice.suggested),
        chart=_histogram(page, picture),
        classes=tuple(Category),
        chosen=wanted.classification,
        may_change=page.may(MANAGERS),
    )


@router.get(f"{PLAYBOOK}/shadow")
async def shadow(page: PlaybookPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        entry = await PlaybookRepository(connection, page.tenant).read(page.record_id)
        report = await shadow_report(connection, page.tenant, page.record_id)
    return page.render("playbooks/shadow.html", entry=entry, report=report)


@router.get(f"{PLAYBOOK}/gate")
async def gate(page: PlaybookPage) -> Response:
    wanted = page.query(GateQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        entries = await PlaybookRepository(connection, page.tenant).all()
        by_id = {one.playbook.id: one for one in entries}
        there = by_id.get(page.record_id) or await PlaybookRepository(connection, page.tenant).read(
            page.record_id
        )
        number = wanted.version or there.playbook.version
        spec = there.spec
        if number != there.playbook.version:
            found = await PlaybookVersions(connection, page.tenant).read(page.record_id, number)
            spec = found.spec
        would_be = as_entry(spec.model_copy(update={"active": True}), page.record_id, number)
        standing = await CaseOutcomes(connection, page.tenant).gate(
            [would_be if one.playbook.id == page.record_id else one for one in entries],
            [page.record_id],
            page.resources.model,
        )
    return page.render(
        "playbooks/gate.html",
        entry=there,
        version=number,
        gate=standing[page.record_id],
        may_run=page.may(REVIEWERS),
    )


@router.post(f"{PLAYBOOK}/gate")
async def run_cases(post: ReviewersPlaybookPost) -> Response:
    """Start a run of the cases on the version in the form, by default the current version. An
    inactive playbook or an earlier version runs as if it were active."""
    page, given = post.page, post.text("version")
    async with post.working() as work:
        there = await PlaybookRepository(standing_in(work), page.tenant).read(page.record_id)
        variant = LIVE
        number = int(given) if given.isdecimal() and len(given) < 10 else there.playbook.version
        if not there.is_active or number != there.playbook.version:
            found = await PlaybookVersions(standing_in(work), page.tenant).read(
                page.record_id, number
            )
            variant = Variant(playbook_id=page.record_id, draft=found.spec)
        run = await start_case_run(work, page.actor, variant)
        await post.leads_to(work, to := f"/app/simulator/runs/{run.id}")
    return post.done(to, "playbooks.cases_run")


def _said(page: Page, point: ThresholdPoint) -> str:
    """Return a sentence about the effect of a confidence threshold on past replies."""
    number = page.formats.number
    return page.say(
        "playbooks.threshold.finding",
        threshold=page.formats.percent(point.threshold),
        reviewed=number(point.reviewed),
        runs=number(point.reviewed + point.alone),
        caught=number(point.edits_caught + point.rejections_caught),
        corrections=number(point.edits + point.rejections),
    )


def _histogram(page: Page, picture: ThresholdPicture) -> BarChart:
    place = picture.entry.playbook.threshold

    def say(key: str, **facts: object) -> str:
        return page.say(f"playbooks.threshold.{key}", **facts)

    return bar_chart(
        _said(page, picture.advice.current),
        [
            ChartColumn(page.formats.percent(one.low), (one.alone, one.kept, one.corrected))
            for one in picture.bins
        ],
        series=(say("alone"), say("kept"), say("corrected")),
        first=say("confidence"),
        shown=page.formats.number,
        mark=ChartMark(place, say("mark", threshold=page.formats.percent(place))),
    )
