"""Corrections: reviews that create one, and the effect of accepting it."""

import asyncio

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction
from domain.cases.case import CaseOrigin
from domain.cases.errors import CaseNameTaken
from domain.content.content import TemplateChange
from domain.content.suggestion import SuggestedEntry
from domain.learning.correction import (
    Correction,
    CorrectionLesson,
    KnowledgeRevision,
    TemplateRevision,
)
from domain.learning.errors import CorrectionDecided, CorrectionNotFound
from domain.learning.word_diff import PieceKind
from domain.simulation.outcome import OutcomeStatus
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.content.knowledge import add_knowledge
from services.content.templates import NewTemplate, add_template
from services.learning.correction_reading import read_correction
from services.learning.corrections import accept_correction, dismiss_correction
from services.reviews.decisions import approve_review, edit_review
from store.cases.tables import saved_cases
from store.content.tables import knowledge_entries, response_templates
from store.core.database import Database
from store.learning.tables import corrections, labelled_examples
from store.privacy.customer_redaction import CustomerWords
from store.runs.tables import engine_runs
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.learning.corrections import OPERATOR, SENT, corrected
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

ANNA = Actor.person("anna", Role.AGENT)
OTHER = CorrectionLesson(classification=Category.OTHER)


async def _read(database: Database, shop: Shop, correction_id: str) -> Correction:
    async with database.reading(shop.tenant) as connection:
        return await read_correction(connection, shop.tenant, correction_id)


async def _accept(
    database: Database, shop: Shop, correction_id: str, lesson: CorrectionLesson
) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await accept_correction(work, OPERATOR, correction_id, lesson)


@pytest.mark.parametrize("text", [DRAFT, f"  {DRAFT}\n"], ids=["the same", "blanks"])
async def test_words_that_do_not_differ_are_no_correction(
    database: Database, shop: Shop, text: str
) -> None:
    review_id = await open_review(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await edit_review(work, ANNA, review_id, text)
    approved = await open_review(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await approve_review(work, ANNA, approved)
    assert await rows(database, corrections, of=shop) == []


async def test_of_two_people_the_settled_review_counts(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop, needs_second=True)
    units, members = units_on(database), (new_ulid(), new_ulid())
    async with database.service() as connection:
        for user_id in members:
            await join(connection, shop.client_id, user_id, Role.AGENT)
    one, other = (Actor.person(user_id, Role.AGENT) for user_id in members)
    async with units.of(shop.tenant) as work:
        await edit_review(work, one, review_id, SENT)
    assert await rows(database, corrections, of=shop) == []
    async with units.of(shop.tenant) as work:
        await approve_review(work, other, review_id, seen=SENT)
    row = await only_row(database, corrections, of=shop)
    assert (row["review_id"], row["kind"], row["state"]) == (review_id, "edited", "open")


async def test_what_an_edit_offers(database: Database, shop: Shop) -> None:
    correction_id = await corrected(
        database,
        shop,
        text="Anne ici (anne@x.fr) : les retours sont-ils gratuits ?",
        draft="Bonjour, le retour coûte 5 €.",
        reason=EscalationReason.MISSING_KNOWLEDGE,
        language="fr",
    )

    found = await _read(database, shop, correction_id)

    assert (found.kind, found.sent, found.classification) == ("edited", SENT, "refund_request")
    assert "".join(p.text for p in found.diff if p.kind is not PieceKind.DELETE) == SENT
    case = found.offers.case
    assert case is not None
    (message,) = case.scenario.messages
    assert "anne@x.fr" not in message.text
    assert "les retours sont-ils gratuits ?" in message.text
    assert case.expected.status is OutcomeStatus.COMPLETED
    assert case.expected.classification is Category.REFUND_REQUEST
    assert (case.expected.contains, case.expected.omits) == (("30 jours",), ("5 €",))
    content = found.offers.content
    assert isinstance(content, SuggestedEntry)
    assert (content.body, content.language) == (SENT, "fr")
    assert "anne@x.fr" not in content.title


async def test_no_offer_holds_an_order_number_that_only_the_person_wrote(
    database: Database, shop: Shop
) -> None:
    sent = "Votre commande n° 48213 peut revenir pendant 30 jours."
    correction_id = await corrected(database, shop, sent=sent)

    found = await _read(database, shop, correction_id)

    assert found.sent == sent
    assert "48213" not in found.offers.model_dump_json()
    assert isinstance(found.offers.content, SuggestedEntry)
    assert found.offers.content.body.endswith("peut revenir pendant 30 jours.")


async def test_what_a_rejection_offers(database: Database, shop: Shop) -> None:
    plan = (PlannedAction(kind=ActionKind.REPLY), refund(4_900))
    correction_id = await corrected(database, shop, sent=None, plan=plan)

    found = await _read(database, shop, correction_id)

    assert (found.kind, found.sent, found.note, found.diff) == ("rejected", None, "Trop cher.", ())
    assert found.offers.content is None
    assert found.offers.case is not None
    expected = found.offers.case.expected
    assert expected.status is OutcomeStatus.NEEDS_REVIEW
    assert ActionKind.REFUND in expected.forbidden


async def test_a_template_is_changed_where_its_placeholders_stay(
    database: Database, shop: Shop
) -> None:
    body = "Bonjour {{ customer_name }}, le retour coûte 5 €."
    async with units_on(database).of(shop.tenant) as work:
        template = await add_template(
            work, OPERATOR, NewTemplate("Retours", Category.OTHER, "fr", body)
        )
    correction_id = await corrected(
        database,
        shop,
        draft="Bonjour Zoé, le retour coûte 5 €.",
        sent="Bonjour Zoé, le retour est gratuit.",
        citations=[{"kind": "template", "id": template.id, "title": "Retours"}],
    )

    offered = (await _read(database, shop, correction_id)).offers.content

    new_body = "Bonjour {{ customer_name }}, le retour est gratuit."
    assert offered == TemplateRevision(
        template_id=template.id, change=TemplateChange(body=new_body)
    )
    await _accept(
        database, shop, correction_id, CorrectionLesson(classification="other", content=offered)
    )
    kept = await only_row(database, response_templates, of=shop, id=template.id)
    assert kept["body"] == new_body
    row = await only_row(database, corrections, of=shop)
    assert (row["content_kind"], row["content_id"]) == ("template", template.id)


async def test_the_one_entry_that_the_draft_rests_on_is_changed(
    database: Database, shop: Shop
) -> None:
    async with units_on(database).of(shop.tenant) as work:
        entry = await add_knowledge(
            work, OPERATOR, title="Retours", body="Le retour coûte 5 €. Il dure 30 jours.",
            language="fr",
        )  # fmt: skip
    cited = {"kind": "knowledge", "id": entry.id, "title": "Retours"}
    for others, is_change in (([], True), ([{**cited, "id": "0" * 26}], False)):
        correction_id = await corrected(
            database,
            shop,
            draft="Bonjour,\n\nLe retour coûte 5 €.",
            sent="Bonjour,\n\nLe retour coûte 9 €.",
            citations=[cited, *others],
        )
        offered = (await _read(database, shop, correction_id)).offers.content
        assert isinstance(offered, KnowledgeRevision) is is_change
        if isinstance(offered, KnowledgeRevision):
            assert offered.knowledge_id == entry.id
            assert offered.change.body == "Le retour coûte 9 €. Il dure 30 jours."


async def test_an_erasure_comes_before_or_finds_what_was_learnt(
    database: Database, shop: Shop
) -> None:
    correction_id = await corrected(database, shop)
    run = await only_row(database, corrections, of=shop)
    event_id = (await only_row(database, engine_runs, of=shop, id=run["run_id"]))["event_id"]

    async def mark() -> None:
        async with database.tenant(shop.tenant) as connection:
            await CustomerWords(connection, shop.tenant, utc_now(), str).mark([event_id], utc_now())

    async with units_on(database).of(shop.tenant) as work:
        await accept_correction(work, OPERATOR, correction_id, OTHER)
        erasure = asyncio.create_task(mark())
        await asyncio.sleep(0.2)
        assert not erasure.done(), "it waits for the commit"
    await erasure

    assert len(await rows(database, labelled_examples, of=shop)) == 1
    other = await corrected(database, shop)
    run = await only_row(database, corrections, of=shop, id=other)
    event_id = (await only_row(database, engine_runs, of=shop, id=run["run_id"]))["event_id"]
    await mark()
    with pytest.raises(CorrectionNotFound):
        await _accept(database, shop, other, OTHER)


async def test_an_accepted_correction_leaves_case_content_and_example(
    database: Database, shop: Shop
) -> None:
    correction_id = await corrected(database, shop, text="Mon mail : zoe@x.fr. Le retour ?")
    found = await _read(database, shop, correction_id)
    lesson = CorrectionLesson(
        classification=Category.PRODUCT_QUESTION,
        intent=Intent.RETURN,
        case=found.offers.case,
        content=found.offers.content,
    )

    await _accept(database, shop, correction_id, lesson)

    row = await only_row(database, corrections, of=shop)
    case = await only_row(database, saved_cases, of=shop)
    entry = await only_row(database, knowledge_entries, of=shop)
    example = await only_row(database, labelled_examples, of=shop)
    assert (row["state"], row["decided_by"]) == ("accepted", OPERATOR.name)
    assert (row["case_id"], row["content_id"]) == (case["id"], entry["id"])
    assert (case["origin"], case["run_id"]) == (CaseOrigin.CORRECTION, row["run_id"])
    assert (example["run_id"], example["classification"], example["intent"]) == (
        row["run_id"], "product_question", "return",
    )  # fmt: skip
    assert "zoe@x.fr" not in example["text"]
    assert "Le retour ?" in example["text"]
    with pytest.raises(CorrectionDecided):
        await _accept(database, shop, correction_id, OTHER)


async def test_all_of_it_or_nothing(database: Database, shop: Shop) -> None:
    first, second = await corrected(database, shop), await corrected(database, shop)
    case = (await _read(database, shop, first)).offers.case
    lesson = CorrectionLesson(classification=Category.OTHER, case=case)
    await _accept(database, shop, first, lesson)

    with pytest.raises(CaseNameTaken):
        await _accept(database, shop, second, lesson)

    assert (await only_row(database, corrections, of=shop, id=second))["state"] == "open"
    assert len(await rows(database, labelled_examples, of=shop)) == 1


async def test_of_two_at_once_one_decides(database: Database, shop: Shop) -> None:
    correction_id = await corrected(database, shop)

    async def dismiss() -> None:
        async with units_on(database).of(shop.tenant) as work:
            await dismiss_correction(work, OPERATOR, correction_id)

    done = await asyncio.gather(
        dismiss(), _accept(database, shop, correction_id, OTHER), return_exceptions=True
    )

    assert [type(one) for one in done if one is not None] == [CorrectionDecided]
    state = (await only_row(database, corrections, of=shop))["state"]
    examples = await rows(database, labelled_examples, of=shop)
    assert (state, len(examples)) in {("dismissed", 0), ("accepted", 1)}


async def test_who_may_not(database: Database, shop: Shop) -> None:
    correction_id = await corrected(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await accept_correction(work, ANNA, correction_id, OTHER)
        with pytest.raises(RoleRequired):
            await dismiss_correction(work, ANNA, correction_id)
        with pytest.raises(CorrectionNotFound):
            await dismiss_correction(work, OPERATOR, work.new_id())
