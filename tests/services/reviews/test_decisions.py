"""Claims and decisions from any caller: permissions, audit entries, and the signal to the run."""

from collections.abc import Awaitable, Callable

import pytest
from structlog.testing import capture_logs

from adapters.system import new_ulid
from domain.core.errors import InvalidInput
from domain.reviews.errors import ConversationMovedOn, EscalationChanged
from domain.reviews.escalation import MAX_NOTE, MAX_WORDS
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.core.unit_of_work import UnitOfWork
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import approve_review, edit_review, reject_review
from store.core.database import Database
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations
from tests.support.core.rows import only_row
from tests.support.core.units import Recorder, units_on
from tests.support.reviews.conversations import converse, write_and_join
from tests.support.reviews.reviews import open_review
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

ANNA = Actor.person("anna", Role.AGENT)
BEN = Actor.operator("operator:ben")
UseCase = Callable[[UnitOfWork, Actor, str], Awaitable[object]]


async def _edit(work: UnitOfWork, actor: Actor, review_id: str) -> object:
    return await edit_review(work, actor, review_id, "Bonjour.")


async def _take_over(work: UnitOfWork, actor: Actor, review_id: str) -> object:
    return await claim_review(work, actor, review_id, force=True)


@pytest.mark.parametrize(
    ("use_case", "actor"),
    [
        *(
            (use_case, actor)
            for use_case in (claim_review, release_review, approve_review, _edit, reject_review)
            for actor in (Actor.person("v", Role.VIEWER), Actor.key("k"))
        ),
        (_take_over, ANNA),
    ],
)
async def test_who_may_not(database: Database, shop: Shop, use_case: UseCase, actor: Actor) -> None:
    review_id = await open_review(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await use_case(work, actor, review_id)
    assert (await only_row(database, escalation_tickets, of=shop))["status"] == "pending"


async def test_an_operator_takes_over_and_it_is_noted(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        await claim_review(work, ANNA, review_id)
    with capture_logs() as logs:
        async with units.of(shop.tenant) as work:
            claim = await claim_review(work, BEN, review_id, force=True)
            await release_review(work, BEN, review_id)
            await reject_review(work, BEN, review_id, "Trop cher.")
    assert claim.by == BEN.name
    entries = [log for log in logs if log.get("client_id") == shop.client_id]
    who = {"actor_kind": "operator", "user_id": BEN.name, "review_id": review_id}
    assert [(entry["event"], who.items() <= entry.items()) for entry in entries] == [
        (event, True) for event in ("review claimed", "review released", "review decided")
    ]
    assert "Trop cher." not in str(logs)


async def test_the_run_hears_of_the_second_approval(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop, needs_second=True)
    engine = Recorder()
    heard = []
    # Users belong to no client, so another test may have created Anna's name.
    anna = Actor.person(new_ulid(), Role.AGENT)
    async with database.service() as connection:
        await join(connection, shop.client_id, anna.name, Role.AGENT)
    for actor in (anna, BEN):
        async with units_on(database, engine).of(shop.tenant) as work:
            await approve_review(work, actor, review_id)
        heard.append(review_id in work.woken)
    assert heard == [False, True]
    run_id = (await only_row(database, escalation_tickets, of=shop))["run_id"]
    assert [(ref.run_id, woken) for ref, woken in engine.woken] == [(run_id, review_id)]


async def test_the_second_approver_has_read_what_the_first_wrote(
    database: Database, shop: Shop
) -> None:
    """Earlier, an approval without a draft could send a text that only the first approver had
    read."""
    review_id = await open_review(database, shop, needs_second=True)
    anna = Actor.person(new_ulid(), Role.AGENT)
    async with database.service() as connection:
        await join(connection, shop.client_id, anna.name, Role.AGENT)
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        await _edit(work, anna, review_id)
    async with units.of(shop.tenant) as work:
        for seen in (None, "Merci."):
            with pytest.raises(EscalationChanged):
                await approve_review(work, BEN, review_id, seen=seen)
        await approve_review(work, BEN, review_id, seen="Bonjour.")
    assert (await only_row(database, escalation_tickets, of=shop))["status"] == "approved"


async def test_whoever_decides_has_seen_the_latest_message(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    latest = await write_and_join(database, shop, conversation_id)
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        for blind in (approve_review, _edit):
            with pytest.raises(ConversationMovedOn):
                await blind(work, BEN, review_id)
    async with units.of(shop.tenant) as work:
        await edit_review(work, BEN, review_id, "Bonjour.", seen_event=latest)
    assert (await only_row(database, escalation_tickets, of=shop))["status"] == "edited"


async def test_a_rejection_hands_the_conversation_over(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    await converse(database, shop, review_id)
    async with units_on(database).of(shop.tenant) as work:
        await reject_review(work, BEN, review_id)
        at = work.now
    assert (await only_row(database, ai_conversations, of=shop))["handed_over_at"] == at


async def test_words_have_limits_for_operators_too(database: Database, shop: Shop) -> None:
    """Earlier, the command accepted texts and notes of any length, which HTTP rejected."""
    review_id = await open_review(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        for text in (" \n", "a" * (MAX_WORDS + 1)):
            with pytest.raises(InvalidInput, match="text"):
                await edit_review(work, BEN, review_id, text)
        with pytest.raises(InvalidInput, match="note"):
            await reject_review(work, BEN, review_id, "a" * (MAX_NOTE + 1))
    assert (await only_row(database, escalation_tickets, of=shop))["status"] == "pending"
    async with units_on(database).of(shop.tenant) as work:
        await edit_review(work, BEN, review_id, "a" * MAX_WORDS)
