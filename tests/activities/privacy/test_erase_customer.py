"""The records and running workflows that an erasure finds for a customer."""

import asyncio
from datetime import datetime

import pytest
import sqlalchemy as sa

from activities.privacy.erase_customer import CustomerErasure
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.guard_finding import FindingReason, GuardFinding
from domain.learning.correction import CorrectionLesson
from domain.ratings.rating import GivenRating
from domain.runs.errors import RunNotFound
from domain.tenants.actor import Actor
from domain.widget.contracts import LateAnswer
from services.cases.cases_from_runs import add_case_of_run
from services.learning.corrections import accept_correction
from services.ratings.ratings import rate_by_link
from store.cases.tables import saved_cases
from store.content.tables import suggestions
from store.core.database import Database
from store.intake.tables import engine_events
from store.learning.tables import corrections, labelled_examples, own_heads
from store.privacy.customer_redaction import CustomerWords
from store.ratings.tables import ratings
from store.runs.tables import engine_messages, engine_runs
from store.simulation.tables import replay_changes
from store.widget.answers_by_mail import AnswersByMailRepository
from store.widget.tables import widget_codes, widget_sessions
from tests.support.cases.cases import a_case, a_spec
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.learning.corrections import OPERATOR, corrected
from tests.support.learning.lessons import keep_head
from tests.support.privacy.old_records import leave_records
from tests.support.runs.conversation import write
from tests.support.simulation.replays import a_replay
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.talk import answer, ask, begin

KEY = "ann@x.example"


def erasure_of(database: Database, shop: Shop, mark: datetime) -> CustomerErasure:
    sealer = FernetSealer(new_seal_key())
    return CustomerErasure(
        database, shop.tenant, KEY, erasure_id=new_ulid(), mark=mark, sealer=sealer, now=utc_now
    )


async def leave_event(database: Database, shop: Shop, payload: object) -> str:
    """Store an event whose payload alone contains the address."""
    event_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(engine_events).values(
                client_id=shop.client_id, id=event_id, event_type="x", outcome="no_playbook",
                payload=payload, received_at=utc_now(),
            )
        )  # fmt: skip
    return event_id


async def test_a_try_that_broke_off_has_still_found_what_was_under_way(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.service() as connection:
        for status in ("received", "completed"):
            made = await leave_records(connection, shop, utc_now(), status=status)
            await connection.execute(
                sa.update(engine_events)
                .where(engine_events.c.id == made.event_id)
                .values(customer_email=KEY)
            )
    erasure = erasure_of(database, shop, utc_now())
    count = CustomerWords.under_way

    async def die(_: CustomerWords) -> int:
        raise ConnectionError

    monkeypatch.setattr(CustomerWords, "under_way", die)
    with pytest.raises(ConnectionError):
        await erasure.mark()
    monkeypatch.setattr(CustomerWords, "under_way", count)

    assert await erasure.mark() == 1
    assert await erasure.mark() == 1
    assert await erasure_of(database, shop, utc_now()).mark() == 0


async def test_the_drafts_of_replays_go(database: Database, shop: Shop) -> None:
    theirs, other = [
        await write(database, shop, customer=email, key=f"email:{email}")
        for email in (KEY, "b@x.example")
    ]
    replay_id = await a_replay(database, shop)
    async with database.tenant(shop.tenant) as connection:
        for ref in (theirs, other):
            await connection.execute(
                sa.insert(replay_changes).values(
                    client_id=shop.client_id, replay_id=replay_id, event_id=ref.event_id,
                    kind="other_answer", before={}, after={}, draft="Bonjour Ann",
                )
            )  # fmt: skip
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    await erasure.remove_rows()

    assert [row["event_id"] for row in await rows(database, replay_changes, of=shop)] == [
        other.event_id
    ]


async def test_an_assistants_suggestion_that_has_the_address_goes(
    database: Database, shop: Shop
) -> None:
    """A model may have copied the address from the customer's message."""
    entry = {"kind": "knowledge", "title": "Retours", "body": "Sous 30 jours", "language": "fr"}
    async with database.tenant(shop.tenant) as connection:
        page = {"url": "https://shop.example/avis/ann@x.example"}
        for n, (proposed, reason, source) in enumerate(
            (
                ({**entry, "body": "Écrire à Ann@X.example."}, "r", None),
                (entry, "ann@x.example l'a demandé", None),
                ({**entry, "body": "marie.ann@x.example"}, "r", None),
                (entry, "", page),
            )
        ):
            await connection.execute(
                sa.insert(suggestions).values(
                    client_id=shop.client_id, id=str(n), proposed=proposed, reason=reason,
                    suggested_by=shop.key_id, created_at=utc_now(), source=source,
                )
            )  # fmt: skip

    await erasure_of(database, shop, utc_now()).remove_rows()

    assert [row["id"] for row in await rows(database, suggestions, of=shop)] == ["2"]


async def test_what_names_nobody_is_theirs_if_the_address_stands_in_it(
    database: Database, shop: Shop
) -> None:
    deep: object = "Ann@X.example"
    for _ in range(200):
        deep = [deep]
    theirs = {
        await leave_event(database, shop, payload)
        for payload in (
            {"who": ["ann@x.example"]}, {"said": "bonjour\nann@x.example"}, {"deep": deep},
            {"ann@x.example": 1},
        )
    }  # fmt: skip
    for payload in ({"who": "joann@x.example"}, {"who": "marie.ann@x.example"}, {}):
        await leave_event(database, shop, payload)

    mark = utc_now()
    await erasure_of(database, shop, mark).mark()

    marked = await rows(database, engine_events, erased_at=mark)
    assert {row["id"] for row in marked} == theirs


async def test_a_visitor_who_was_verified_is_forgotten_with_all_of_the_session(
    database: Database, shop: Shop
) -> None:
    """Messages from before the visitor was verified are erased too. The session continues."""
    mine = await begin(database, shop, email="Ann@X.example")
    others = await begin(database, shop, email="bob@x.example")
    asked = [await ask(database, shop, one, "where is it?") for one in (mine, mine, others)]
    for ref in asked:
        await answer(database, shop, ref, "on its way")
    await set_up_codes(database, shop, mine, others)
    erasure = erasure_of(database, shop, utc_now())

    for _ in range(2):  # an attempt may be repeated
        await erasure.mark()
        await erasure.remove_rows()

    said = await rows(database, engine_messages, of=shop)
    assert {row["widget_session_id"] for row in said} == {others}
    sessions = {row["id"]: row for row in await rows(database, widget_sessions, of=shop)}
    assert sessions[mine]["verified_email"] is sessions[mine]["verified_by"] is None
    assert sessions[others]["verified_email"] == "bob@x.example"
    codes = await rows(database, widget_codes, of=shop)
    assert [row["email"] for row in codes] == ["bob@x.example"]
    late = LateAnswer(session_id=mine, number=3)
    async with database.tenant(shop.tenant) as connection:
        assert await AnswersByMailRepository(connection, shop.tenant).claim(late) is None
    again = await ask(database, shop, mine)
    assert await answer(database, shop, again) == 6


async def set_up_codes(database: Database, shop: Shop, mine: str, others: str) -> None:
    """Store codes, including an unused one in another visitor's session."""
    made = {
        "client_id": shop.client_id, "network": "n", "digest": b"d", "tries_left": 5,
        "created_at": utc_now(),
    }  # fmt: skip
    async with database.tenant(shop.tenant) as connection:
        for session_id, email in [(mine, KEY), (others, KEY), (others, "bob@x.example")]:
            row = {"id": new_ulid(), "session_id": session_id, "email": email}
            await connection.execute(sa.insert(widget_codes).values(**row, **made))


async def test_a_case_that_was_made_of_their_run_goes(database: Database, shop: Shop) -> None:
    """The case is a pseudonymized copy of the customer's message."""
    theirs = await write(database, shop, "Où est ma commande ?", customer=KEY)
    await a_case(database, shop)
    actor = Actor.operator("operator:test")
    async with units_on(database).of(shop.tenant) as work:
        await add_case_of_run(work, actor, theirs.run_id)
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RunNotFound):
            await add_case_of_run(work, actor, theirs.run_id, name="again")
    await erasure.remove_rows()

    assert [row["name"] for row in await rows(database, saved_cases, of=shop)] == ["Colis"]


async def test_the_words_that_the_guards_rejected_go(database: Database, shop: Shop) -> None:
    theirs = await write(database, shop, "Où est ma commande ?", customer=KEY)
    found = GuardFinding(words="12 rue de la paix", reason=FindingReason.NO_SOURCE)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.id == theirs.run_id)
            .values(guard_findings=[found.model_dump(mode="json")])
        )
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    await erasure.remove_rows()

    assert (await only_row(database, engine_runs, of=shop))["guard_findings"] == []


async def test_the_acknowledgement_with_their_name_goes(database: Database, shop: Shop) -> None:
    theirs = await write(database, shop, "Où est ma commande ?", customer=KEY)
    shown = {
        "response": "",
        "acknowledgement": "Bonjour Sophie Martin, on vous répondra.",
    }
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == theirs.run_id).values(answer=shown)
        )
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    await erasure.remove_rows()

    assert (await only_row(database, engine_runs, of=shop))["answer"] == {"response": ""}


async def test_what_was_learnt_and_said_of_their_runs_goes(database: Database, shop: Shop) -> None:
    kept = await corrected(database, shop, customer="bob@x.example")
    gone = await corrected(database, shop, customer=KEY)
    lesson = CorrectionLesson(classification=Category.OTHER)
    for correction_id in (kept, gone):
        async with units_on(database).of(shop.tenant) as work:
            await accept_correction(work, OPERATOR, correction_id, lesson)
    runs = {row["id"]: row["run_id"] for row in await rows(database, corrections, of=shop)}
    async with units_on(database).of(shop.tenant) as work:
        for run_id in runs.values():
            await rate_by_link(work, run_id, GivenRating(1, "Anne, 12 rue de la Paix"))
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    await erasure.remove_rows()

    for table in (corrections, labelled_examples, ratings):
        assert [row["run_id"] for row in await rows(database, table, of=shop)] == [runs[kept]]


async def test_what_is_learnt_while_they_are_erased_goes_too(
    database: Database, shop: Shop
) -> None:
    """The erasure waits for a concurrent acceptance of a correction, and erases its result."""
    correction_id = await corrected(database, shop, customer=KEY)
    lesson = CorrectionLesson(classification=Category.OTHER, case=a_spec())
    erasure = erasure_of(database, shop, utc_now())

    async def erased() -> None:
        await erasure.mark()
        await erasure.remove_rows()

    async with asyncio.TaskGroup() as tasks, units_on(database).of(shop.tenant) as work:
        await accept_correction(work, OPERATOR, correction_id, lesson)
        tasks.create_task(erased())
        await asyncio.sleep(0.3)

    for table in (corrections, labelled_examples, saved_cases):
        assert await rows(database, table, of=shop) == []


async def test_what_was_learnt_of_their_reviews_goes(database: Database, shop: Shop) -> None:
    """The following night fits a head to the remaining tickets."""
    other = await open_shop(database)
    for one, customer in ((shop, KEY), (other, "b@x.example")):
        await corrected(database, one, customer=customer)
        await keep_head(database, one)
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    await erasure.remove_rows()

    assert await rows(database, own_heads, of=shop) == []
    assert len(await rows(database, own_heads, of=other)) == 1


async def test_an_erasure_of_a_customer_without_reviews_leaves_what_was_learnt(
    database: Database, shop: Shop
) -> None:
    await write(database, shop, customer=KEY, key=f"email:{KEY}")
    await keep_head(database, shop)
    erasure = erasure_of(database, shop, utc_now())

    await erasure.mark()
    await erasure.remove_rows()

    assert len(await rows(database, own_heads, of=shop)) == 1
