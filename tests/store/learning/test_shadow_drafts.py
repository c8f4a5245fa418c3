"""Shadow drafts: compared once a human has handled the message, in any channel."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import utc_now
from domain.agent.brain import Category
from domain.agent.grounding.facts import FactKind
from domain.agent.plan import ActionKind, PlannedAction
from domain.integrations.providers import Provider
from domain.learning.comparison import PeopleDid, ShadowThought
from domain.reviews.escalation import Decision
from store.core.database import Database
from store.intake.tables import engine_events
from store.learning.shadow_counts import ShadowCounts
from store.learning.shadow_drafts import ANSWER_WITHIN, MOST_HEARD, ShadowDrafts
from store.learning.tables import shadow_drafts
from store.privacy.customer_redaction import CustomerWords
from store.privacy.erasure_subject import Subject
from tests.support.core.rows import only_row
from tests.support.learning.left_runs import leave_shadow
from tests.support.tenants.shop import Shop

THOUGHT = ShadowThought(
    classification=Category.ORDER_STATUS,
    confidence=0.9,
    draft="Votre commande 1042 est partie hier.",
    plan=(PlannedAction(kind=ActionKind.REPLY),),
)
SENT = "<p>La commande 1042 est partie hier.</p>"


async def test_what_people_wrote_in_the_helpdesk_is_compared(
    database: Database, shop: Shop
) -> None:
    """The human's message arrives first; then the closed review is settled."""
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        run_id = await leave_shadow(connection, shop, THOUGHT, platform="zendesk")
        drafts = ShadowDrafts(connection, shop.tenant)
        await drafts.heard(Provider.ZENDESK, "T-8", "un autre ticket", now)
        await drafts.heard(Provider.ZENDESK, "T-7", SENT, now)
        await drafts.heard(Provider.ZENDESK, "T-7", "Autre chose encore.", now)
        await drafts.settle(run_id, Decision.REJECT, now)

    row = await only_row(database, shadow_drafts, of=shop)
    assert (row["decision"], row["sent"]) == (PeopleDid.ANSWERED_ELSEWHERE, SENT)
    assert row["comparison"]["agrees"] is True


async def test_who_rejects_and_writes_later_has_answered(database: Database, shop: Shop) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        run_id = await leave_shadow(connection, shop, THOUGHT, platform="zendesk")
        drafts = ShadowDrafts(connection, shop.tenant)
        await drafts.settle(run_id, Decision.REJECT, now)
        before = await connection.scalar(sa.select(shadow_drafts.c.decision))
        await drafts.heard(Provider.ZENDESK, "T-7", SENT, now + 2 * ANSWER_WITHIN)
        await drafts.heard(Provider.ZENDESK, "T-7", SENT, now + timedelta(hours=1))
        # A second settlement of the same review changes nothing.
        await drafts.settle(run_id, Decision.EXPIRE, now)

    assert before == PeopleDid.HANDED_OVER
    row = await only_row(database, shadow_drafts, of=shop)
    assert (row["decision"], row["comparison"]["agrees"]) == (PeopleDid.ANSWERED_ELSEWHERE, True)


async def test_nothing_is_kept_of_who_is_being_erased(database: Database, shop: Shop) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        run_id = await leave_shadow(connection, shop, THOUGHT, platform="zendesk")
        await connection.execute(sa.update(engine_events).values(erased_at=now))
        drafts = ShadowDrafts(connection, shop.tenant)
        await drafts.heard(Provider.ZENDESK, "T-7", SENT, now)
        await drafts.settle(run_id, Decision.REJECT, now)

    row = await only_row(database, shadow_drafts, of=shop)
    assert (row["sent"], row["comparison"]) == (None, None)


async def test_an_erased_customer_leaves_how_near_they_were(database: Database, shop: Shop) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        await leave_shadow(connection, shop, THOUGHT, did=PeopleDid.ANSWERED, sent=THOUGHT.draft)
        events = (await connection.scalars(sa.select(engine_events.c.id))).all()
        words = CustomerWords(connection, shop.tenant, now, str)
        await words.mark(events, now)
        subject = Subject(connection, shop.tenant, "lea@example.com", now)
        emptied = await words.empty(await words.marked(""), subject, now)
        again = await words.empty(await words.marked(""), subject, now)
        report = await ShadowCounts(connection, shop.tenant).report(shop.playbook_id)

    row = await only_row(database, shadow_drafts, of=shop)
    assert (row["draft"], row["plan"], row["sent"]) == ("", [], None)
    assert (emptied["shadow_drafts, emptied"], again["shadow_drafts, emptied"]) == (1, 0)
    assert (report.total.answers, report.total.agreed, report.examples) == (1, 1, ())


async def test_the_report_counts_what_is_settled_and_shows_no_other_draft(
    database: Database, shop: Shop
) -> None:
    other = THOUGHT.model_copy(update={"draft": "Nous vous rendons 49,90 €."})
    async with database.tenant(shop.tenant) as connection:
        agreed = await leave_shadow(
            connection, shop, THOUGHT, did=PeopleDid.ANSWERED, sent=THOUGHT.draft
        )
        differs = await leave_shadow(
            connection, shop, other, did=PeopleDid.ANSWERED, sent="Nous vous rendons 39,90 €."
        )
        await leave_shadow(connection, shop, THOUGHT, did=PeopleDid.EXPIRED)
        await leave_shadow(connection, shop, THOUGHT)
        report = await ShadowCounts(connection, shop.tenant).report(shop.playbook_id)
        none = await ShadowCounts(connection, shop.tenant).report("01J9ZQ4Z8N3V5X7B2C4D6E8F0G")

    (one,) = report.classes
    assert (report.version, one.classification, report.waiting) == (1, "order_status", 1)
    assert (one.kept, one.settled, one.expired, one.answers) == (4, 3, 1, 3)
    assert (one.agreed, one.disagreed, one.conflicts, one.money_differs) == (1, 1, 1, 1)
    assert report.conflicts == {FactKind.MONEY: 1}
    assert [example.run_id for example in report.examples] == [differs, agreed]
    assert (none.version, none.examples) == (None, ())


async def test_one_message_completes_the_latest_drafts(database: Database, shop: Shop) -> None:
    """A ticket with thousands of messages does not hold a transaction open."""
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        runs = [
            await leave_shadow(connection, shop, THOUGHT, platform="zendesk")
            for _ in range(MOST_HEARD + 2)
        ]
        await ShadowDrafts(connection, shop.tenant).heard(Provider.ZENDESK, "T-7", SENT, now)
        found = await connection.scalars(
            sa.select(shadow_drafts.c.run_id).where(shadow_drafts.c.sent.is_not(None))
        )

    assert sorted(found) == sorted(runs)[-MOST_HEARD:]
