"""/app/replays: past events processed again, with the differences between their outcomes."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import JsonValue
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ManagersPost, Post, Posted
from api.dashboard.variant_form import NO_VARIANT, playbooks_of, variant_in, whole_number
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from api.schemas.simulation.replay import ExamplesQuery, NewReplayBody
from domain.core.comparable import DiffBudget
from domain.core.errors import InvalidBody
from domain.learning.word_diff import Piece, word_diff
from domain.simulation.errors import ReplayNotFound
from domain.simulation.replay import (
    DEFAULT_BUDGET_MICROS,
    DEFAULT_BUDGET_S,
    UNFINISHED,
    ReplayExample,
)
from domain.simulation.replay_facts import ReplayChangeKind
from domain.tenants.actor import ANYONE, MANAGERS
from services.simulation.replays import start_replay, stop_replay
from store.simulation.replays import ReplayRepository, client_of_replay

_LIST: Final = "/app/replays"
_NEW: Final = f"{_LIST}/new"
_REPLAY: Final = f"{_LIST}/{{replay_id}}"
_ID: Final = PathId("replay_id", "replay", ReplayNotFound)
_BLANK: Final = {
    **NO_VARIANT,
    "since": "",
    "until": "",
    "dollars": str(DEFAULT_BUDGET_MICROS // 1_000_000),
    "minutes": str(DEFAULT_BUDGET_S // 60),
}
_SHOWN: Final = 20

router = APIRouter(include_in_schema=False)
ReplayPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_replay))]
ReplayPost = Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of_replay))]


@router.get(_LIST)
async def replays(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await ReplayRepository(connection, page.tenant).page(
            before=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "simulation/replays.html",
        replays=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_start=page.may(MANAGERS),
    )


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    return page.render(
        "simulation/new_replay.html",
        typed=await page.typed(_LIST, _BLANK),
        playbooks=await playbooks_of(page),
    )


@router.post(_LIST)
async def start(post: ManagersPost) -> Response:
    days: dict[str, JsonValue] = {
        name: text for name in ("since", "until") if (text := post.text(name).strip())
    }
    body = post.body(
        NewReplayBody,
        variant=await variant_in(post),
        budget_micros=_micros(post.text("dollars")),
        budget_s=60 * whole_number("minutes", post.text("minutes").strip()),
        **days,
    )
    asked = body.asked
    async with post.working() as work:
        replay = await start_replay(work, post.page.actor, asked)
        await post.leads_to(work, to := f"{_LIST}/{replay.id}")
    return post.done(to, "simulation.replay_started")


@router.get(_REPLAY)
async def replay(page: ReplayPage) -> Response:
    query = page.query(ExamplesQuery)
    shown = min(query.limit, _SHOWN)
    async with page.resources.database.reading(page.tenant) as connection:
        repository = ReplayRepository(connection, page.tenant)
        there = await repository.read(page.record_id)
        found = await repository.examples(
            there.id, kind=query.kind, after=query.cursor, limit=shown + 1
        )
    return page.render(
        "simulation/replay.html",
        replay=there,
        is_over=there.state not in UNFINISHED,
        # The comparisons run in a thread because one page's may take a tenth of a second.
        examples=await asyncio.to_thread(_compared, found[:shown]),
        cursor=cursor_after(found, shown, lambda last: last.event_id),
        kinds=tuple(ReplayChangeKind),
        kind=query.kind,
        may_stop=page.may(MANAGERS),
    )


@router.post(f"{_REPLAY}/stop")
async def stop(post: ReplayPost) -> Response:
    page = post.page
    async with post.working(to := f"{_LIST}/{page.record_id}") as work:
        await stop_replay(work, page.actor, page.record_id)
    return post.done(to, "simulation.replay_stopped")


def _compared(found: Sequence[ReplayExample]) -> list[tuple[ReplayExample, tuple[Piece, ...]]]:
    """Return each example with a word diff between its two drafts. The work for one page is
    limited. Beyond the limit, drafts are shown one below the other."""
    budget = DiffBudget()
    return [(one, word_diff(one.draft_before, one.draft_after, budget)) for one in found]


def _micros(text: str) -> int:
    """Convert an amount in US dollars to millionths. Raises InvalidBody if the text is not an
    amount."""
    try:
        return round(1_000_000 * float(text.strip().replace(",", ".")))
    except (ValueError, OverflowError):
        raise InvalidBody("champ « budget_micros »") from None
