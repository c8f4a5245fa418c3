"""Knowledge gaps: questions that the agent could not answer."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from domain.agent.brain import Passage
from domain.analytics.gaps import (
    EXAMPLES,
    MAX_QUESTIONS,
    FoundKnowledge,
    GapExample,
    GapSpan,
    HumanAnswer,
    KnowledgeGap,
    KnowledgeGaps,
    OpenQuestion,
    QuestionCluster,
    QuestionCount,
    ranked,
)
from domain.analytics.ports import ReadsQuestions
from domain.core.ids import TenantId
from domain.tenants.actor import ANYONE, Actor
from services.core.fair_slots import FairSlots
from services.core.fair_turns import FairTurns
from store.analytics.open_questions import OpenQuestions
from store.content.knowledge_search import KnowledgeSearch
from store.core.database import Database
from store.exports.payer import has_plan

_PATIENCE_S: Final = 10.0


def _turns() -> FairTurns:
    return FairTurns(patience_s=_PATIENCE_S, most_of_one=4, most=32)


def _slots() -> FairSlots:
    # The reader processes one call at a time, so few callers may wait for it.
    return FairSlots(2, unpaid=1, patience_s=_PATIENCE_S)


@dataclass(frozen=True, slots=True)
class GapReading:
    """The limits on concurrent knowledge gap reports in one process.

    - `turns`: admits one report per client, so that a client uses only one of `reader`'s
      connections.
    - `searches`: the queue for all searches in the process.
    - `slots`: the limit on concurrent calls to `reader`, with some reserved for paying clients.
    """

    reader: ReadsQuestions
    searches: FairTurns
    turns: FairTurns = field(default_factory=_turns)
    slots: FairSlots = field(default_factory=_slots)


async def knowledge_gaps(
    database: Database,
    tenant: TenantId,
    actor: Actor,
    reading: GapReading,
    *,
    span: GapSpan,
    now: datetime,
    limit: int,
) -> KnowledgeGaps:
    """Return the `limit` largest knowledge gaps from the last `span` days before `now`.

    No transaction is open during clustering, and each search has its own. Raises RoleRequired,
    OverBudget if clustering is too expensive, and CallerBusy if too many callers are waiting.
    """
    actor.require(ANYONE)
    async with reading.turns.turn(tenant):
        pays = await has_plan(database, tenant, now)
        since = now - timedelta(days=span)
        return await _gaps_since(since, database, tenant, reading, limit=limit, pays=pays)


async def _gaps_since(
    since: datetime,
    database: Database,
    tenant: TenantId,
    reading: GapReading,
    *,
    limit: int,
    pays: bool,
) -> KnowledgeGaps:
    async with database.reading(tenant) as connection:
        newest = await OpenQuestions(connection, tenant).newest(since, MAX_QUESTIONS + 1)
    questions = newest[:MAX_QUESTIONS]
    async with reading.slots.slot(tenant, pays=pays):
        found = await reading.reader.clusters([one.text for one in questions])
    clusters = ranked(found, questions)
    shown = [[questions[place] for place in cluster.places] for cluster in clusters[:limit]]
    async with database.reading(tenant) as connection:
        answers = await OpenQuestions(connection, tenant).answers(
            [[one.run_id for one in gap] for gap in shown]
        )
    passages = await _written_since(database, tenant, reading.searches, shown)
    async with reading.slots.slot(tenant, pays=pays):
        known = await reading.reader.answering(
            [(gap[0].text, near) for gap, near in zip(shown, passages, strict=True)]
        )
    return KnowledgeGaps(
        since=since,
        questions=len(questions),
        is_cut=len(newest) > len(questions),
        clusters=len(clusters),
        gaps=tuple(
            _gap(cluster, gap, len(questions), answers.get(number), known[number])
            for number, (cluster, gap) in enumerate(zip(clusters, shown, strict=False))
        ),
    )


async def _written_since(
    database: Database,
    tenant: TenantId,
    searches: FairTurns,
    gaps: Sequence[Sequence[OpenQuestion]],
) -> list[list[Passage]]:
    """Return, for each gap, the knowledge passages that match the gap's most typical question and
    were written after its last question. Other searches for the client may run between these
    searches."""
    found = list[tuple[Passage, ...]]()
    for gap in gaps:
        async with searches.turn(tenant), database.reading(tenant) as connection:
            found.append(await KnowledgeSearch(connection, tenant).find(gap[0].text))
    entries = sorted({passage.id for passages in found for passage in passages})
    async with database.reading(tenant) as connection:
        written = await OpenQuestions(connection, tenant).written_at(entries)
    return [
        [one for one in passages if one.id in written and written[one.id] > _last(gap)]
        for gap, passages in zip(gaps, found, strict=True)
    ]


def _last(gap: Sequence[OpenQuestion]) -> datetime:
    return max(one.asked_at for one in gap)


def _gap(
    cluster: QuestionCluster,
    gap: Sequence[OpenQuestion],
    questions: int,
    answer: HumanAnswer | None,
    known: Passage | None,
) -> KnowledgeGap:
    return KnowledgeGap(
        label=" ".join(cluster.label),
        count=len(gap),
        share=len(gap) / questions,
        classes=_tallies(one.classification for one in gap),
        languages=_tallies(one.language for one in gap),
        examples=tuple(
            GapExample(run_id=one.run_id, text=one.text, asked_at=one.asked_at)
            for one in gap[:EXAMPLES]
        ),
        answer=answer,
        knowledge=FoundKnowledge(id=known.id, title=known.title) if known else None,
        first_seen=min(one.asked_at for one in gap),
        last_seen=_last(gap),
    )


def _tallies(values: Iterable[str | None]) -> tuple[QuestionCount, ...]:
    counts = Counter(values)
    return tuple(
        QuestionCount(value=value, count=count)
        for value, count in sorted(counts.items(), key=lambda one: (-one[1], one[0] or ""))
    )
