"""The nightly fit of clients' own heads."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs
from temporalio.testing import ActivityEnvironment

from activities.learning.learn_heads import LearnHeads
from adapters.brain.classifier import Classifier
from adapters.brain.own_head_fit import OwnHeadFitter
from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.core.errors import EngineUnavailable
from domain.learning.contracts import LearnHeadsInput, LearnHeadsResult
from domain.learning.own_head_trial import LONGEST, Lesson, TriedHead
from evaluation.own_head.shop_trial import read_lessons
from services.learning.labelled_examples import delete_example
from store.core.database import Database
from store.learning.own_heads import OwnHeadRepository
from store.learning.tables import own_heads
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.learning.corrections import OPERATOR
from tests.support.learning.lessons import MODEL, USED, add_examples
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

ONE = [("Où est ma caisse ?", Category.ORDER_STATUS)]


class Heads:
    """A fitter that adopts each head without fitting. `during` is called while a head is fitted."""

    model = MODEL

    def __init__(self) -> None:
        self.tries = 0

    async def tried(self, lessons: Sequence[Lesson]) -> TriedHead:
        self.tries += 1
        await self.during(lessons)
        count = USED.held_back.model_copy(update={"tickets": len(lessons)})
        return USED._replace(held_back=count)

    async def during(self, lessons: Sequence[Lesson]) -> None:
        pass


async def learn(
    database: Database, heads: Heads | OwnHeadFitter | None, client_id: str = ""
) -> LearnHeadsResult:
    learning = LearnHeads(database, heads, utc_now, new_ulid)
    step = LearnHeadsInput(client_id=client_id)
    return LearnHeadsResult.model_validate(await ActivityEnvironment().run(learning.learn, step))


async def test_a_shop_with_words_of_its_own_gets_a_head_and_others_none(
    database: Database, shop: Shop
) -> None:
    other = await open_shop(database)
    await add_examples(
        database, shop, [(one.text, one.classification) for one in read_lessons()[:250]]
    )
    await add_examples(database, other, ONE)
    await open_shop(database)

    done = await learn(database, OwnHeadFitter(Classifier.load()))

    assert done == LearnHeadsResult(tried=2, used=1, failed=0)
    head = await only_row(database, own_heads, of=shop)
    assert (head["state"], head["tickets"]) == ("used", 250)
    assert head["won"] > head["lost"]
    few = await only_row(database, own_heads, of=other)
    assert (few["state"], few["tickets"], few["weights"]) == ("too_few", 1, None)


async def test_a_night_without_news_changes_nothing(database: Database, shop: Shop) -> None:
    await add_examples(database, shop, ONE * 120)
    heads = Heads()
    assert (await learn(database, heads, shop.client_id)).used == 1
    first = await only_row(database, own_heads, of=shop)

    assert await learn(database, heads, shop.client_id) == LearnHeadsResult()

    assert heads.tries == 1
    assert await only_row(database, own_heads, of=shop) == first


async def test_nothing_is_fitted_where_a_language_model_thinks(
    database: Database, shop: Shop
) -> None:
    """A head is still used when the model's budget is exhausted, until its tickets are too old."""
    await add_examples(database, shop, ONE)
    assert await learn(database, None) == LearnHeadsResult()
    assert await rows(database, own_heads, of=shop) == []

    await learn(database, Heads())
    await learn(database, None)
    await only_row(database, own_heads, of=shop)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(own_heads).values(created_at=utc_now() - LONGEST - timedelta(minutes=1))
        )
    await learn(database, None)
    assert await rows(database, own_heads, of=shop) == []


async def test_an_example_deleted_during_the_fit_leaves_no_head(
    database: Database, shop: Shop
) -> None:
    """The following night fits a head to the remaining examples."""
    await add_examples(database, shop, ONE * 3)

    class Slow(Heads):
        async def during(self, lessons: Sequence[Lesson]) -> None:
            if self.tries == 1:
                async with units_on(database).of(shop.tenant) as work:
                    await delete_example(work, OPERATOR, lessons[0].id)

    heads = Slow()
    assert await learn(database, heads) == LearnHeadsResult()
    assert await rows(database, own_heads, of=shop) == []

    assert (await learn(database, heads)).used == 1


async def test_one_client_does_not_keep_the_others_from_theirs(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await open_shop(database)
    for one in (shop, other):
        await add_examples(database, one, ONE)
    keep = OwnHeadRepository.lessons

    async def broken(self: OwnHeadRepository) -> Sequence[Lesson]:
        if self._tenant == shop.tenant:
            raise EngineUnavailable("a statement took too long")
        return await keep(self)

    monkeypatch.setattr(OwnHeadRepository, "lessons", broken)
    with capture_logs() as lines:
        done = await learn(database, Heads())

    assert done == LearnHeadsResult(tried=1, used=1, failed=1)
    assert [line["client_id"] for line in lines] == [shop.client_id]
    await only_row(database, own_heads, of=other)
