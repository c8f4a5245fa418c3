"""The history in the advice equals the rows."""

import sqlalchemy as sa

from domain.agent.brain import Category
from domain.agent.plan import ActionKind, PlannedAction
from domain.learning.comparison import PeopleDid, ShadowThought
from domain.learning.threshold_advice import PastOutcome, Seen, advise
from domain.learning.threshold_words import in_english
from store.core.database import Database
from store.learning.threshold_outcomes import ThresholdOutcomes
from tests.support.learning.left_runs import LeftRun, leave_run, leave_shadow
from tests.support.tenants.shop import Shop

# The playbook's threshold is 0.7.
_RUNS = (
    (LeftRun(0.60, "approved"), PastOutcome(0.60, Seen.APPROVED)),
    (LeftRun(0.61, "edited", edited=True), PastOutcome(0.61, Seen.EDITED)),
    # A second person approved the first person's text.
    (LeftRun(0.62, "approved", edited=True), PastOutcome(0.62, Seen.EDITED)),
    (LeftRun(0.63, "rejected"), PastOutcome(0.63, Seen.REJECTED)),
    (LeftRun(0.64, "expired"), PastOutcome(0.64, Seen.UNKNOWN)),
    (LeftRun(0.65, "pending"), PastOutcome(0.65, Seen.UNKNOWN)),
    (
        LeftRun(0.66, "edited", edited=True, hold="unsafe_input"),
        PastOutcome(0.66, Seen.EDITED, is_held=True),
    ),
    (LeftRun(0.80, "rejected"), PastOutcome(0.80, Seen.REJECTED, is_held=True)),
    (LeftRun(0.90), PastOutcome(0.90, Seen.ALONE)),
    (LeftRun(0.95, classification="complaint"), PastOutcome(0.95, Seen.ALONE)),
)
_REPLY = (PlannedAction(kind=ActionKind.REPLY),)

# Counted independently, from the tables.
_BY_SQL = sa.text("""
    SELECT count(*) FILTER (WHERE run.hold IS NOT NULL OR run.confidence < :threshold
            OR (review.id IS NOT NULL AND run.confidence >= 0.7)) AS reviewed,
        count(*) AS runs,
        count(*) FILTER (WHERE review.edited_text IS NOT NULL AND run.hold IS NULL) AS edits,
        count(*) FILTER (WHERE review.edited_text IS NOT NULL AND run.hold IS NULL
            AND run.confidence < :threshold) AS edits_caught
    FROM engine_runs AS run
    LEFT JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id
    WHERE run.client_id = :client_id
""")


async def test_each_run_is_what_people_made_of_it(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        for left, _ in _RUNS:
            await leave_run(connection, shop, left)
        rows = {
            threshold: (
                await connection.execute(
                    _BY_SQL, {"client_id": shop.client_id, "threshold": threshold}
                )
            ).one()
            for threshold in (0.60, 0.65, 0.95)
        }
        # None of these is a past run.
        await leave_run(connection, shop, LeftRun(0.99, plan=()))
        for agrees in (True, False):
            sent = "Bonjour Léa" if agrees else "Autre chose"
            thought = ShadowThought(
                classification=Category.OTHER, confidence=0.97, draft="Bonjour Léa", plan=_REPLY
            )
            await leave_shadow(connection, shop, thought, did=PeopleDid.ANSWERED, sent=sent)
        outcomes = ThresholdOutcomes(connection, shop.tenant)
        found = await outcomes.last(shop.playbook_id, None)
        complaints = await outcomes.last(shop.playbook_id, "complaint")
        two = await outcomes.last(shop.playbook_id, None, limit=2)

    key = lambda one: (one.confidence, one.seen)  # noqa: E731
    shadow = (
        PastOutcome(0.97, Seen.APPROVED, in_shadow=True),
        PastOutcome(0.97, Seen.EDITED, in_shadow=True),
    )
    assert sorted(found, key=key) == sorted((*(one for _, one in _RUNS), *shadow), key=key)
    assert complaints == [PastOutcome(0.95, Seen.ALONE)]
    assert len(two) == 2

    curve = {point.threshold: point for point in advise(found, 0.7).curve}
    for threshold, row in rows.items():
        point = curve[threshold]
        assert (point.reviewed, point.reviewed + point.alone) == (row.reviewed, row.runs)
        assert (point.edits, point.edits_caught) == (row.edits, row.edits_caught)
        assert in_english(point).startswith(
            f"{threshold:.2f} would send {row.reviewed} of the last {row.runs} to review and avoid "
            f"{row.edits_caught} of {row.edits} edits"
        )
