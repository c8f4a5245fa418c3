"""A language model gets the client's nearest accepted corrections as examples."""

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.agent.gather import gather
from activities.content.embed import Embed
from activities.privacy.erase_customer import CustomerErasure
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category, CorrectedAnswer
from domain.agent.embedding import Embedding
from domain.agent.errors import EmbeddingUnavailable
from domain.core.ids import TenantId
from domain.intake.event import Channel, UnifiedEvent
from domain.learning.correction import CorrectionLesson
from domain.runs.contracts import SweepInput
from services.learning.corrections import accept_correction, dismiss_correction
from store.core.database import Database
from store.learning.tables import labelled_examples
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.learning.corrections import OPERATOR, corrected
from tests.support.tenants.shop import Shop, open_shop

EVENT = UnifiedEvent(channel=Channel.API, text="Le retour d'une écharpe est-il gratuit ?")
pytestmark = pytest.mark.own_database

MODEL = "test:model"
ZOE = "zoe@x.fr"


class Encoder:
    """An embedder with one vector for each text, which fails for the texts in `broken`."""

    model = MODEL

    def __init__(self, *broken: str) -> None:
        self.broken = broken

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        if any(one in self.broken for one in texts):
            raise EmbeddingUnavailable
        return tuple(_vector(is_return="retour" in one) for one in texts)

    async def near(self, tenant: TenantId, text: str, *, live: bool) -> Embedding | None:
        return (await self.embed((text,)))[0] if tenant and live else None


def _vector(*, is_return: bool) -> Embedding:
    return Embedding(model=MODEL, values=(1.0, 0.0) if is_return else (0.0, 1.0))


async def accepted(database: Database, shop: Shop, text: str, sent: str) -> None:
    correction_id = await corrected(database, shop, text=text, sent=sent, customer=ZOE)
    async with units_on(database).of(shop.tenant) as work:
        lesson = CorrectionLesson(classification=Category.OTHER)
        await accept_correction(work, OPERATOR, correction_id, lesson)


async def examples(
    database: Database, shop: Shop, near: Embedding | None = None, *, for_model: bool = True
) -> tuple[CorrectedAnswer, ...]:
    async with database.reading(shop.tenant) as connection:
        return (await gather(connection, shop.tenant, EVENT, near, for_model=for_model)).examples


async def sweep(database: Database, encoder: Encoder) -> None:
    step = SweepInput(older_than_s=0, embedding_model=MODEL)
    await ActivityEnvironment().run(Embed(database, encoder, utc_now).embed, step)


async def test_an_accepted_correction_is_an_example_without_personal_data(
    database: Database, shop: Shop
) -> None:
    text = "Mon retour 8812 est-il gratuit ? zoe@x.fr, 06 11 22 33 44"
    sent = "Bonjour, le retour 8812 est offert. Nous remboursons 49,90 € à zoe@x.fr."
    await accepted(database, shop, text, sent)

    (example,) = await examples(database, shop)

    shown = f"{example.question} {example.answer}"
    assert example.answer == "Bonjour, le retour … est offert. Nous remboursons … à …."
    assert not any(private in shown for private in (ZOE, "8812", "49", "06 11"))
    assert await examples(database, await open_shop(database)) == ()
    assert await examples(database, shop, for_model=False) == ()


async def test_a_dismissed_correction_is_no_example(database: Database, shop: Shop) -> None:
    correction_id = await corrected(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await dismiss_correction(work, OPERATOR, correction_id)

    assert await examples(database, shop) == ()


async def test_the_erasure_of_the_customer_removes_the_example(
    database: Database, shop: Shop
) -> None:
    await accepted(database, shop, "Le retour ?", "Oui, le retour est offert.")
    assert await examples(database, shop) != ()
    erasure = CustomerErasure(
        database,
        shop.tenant,
        ZOE,
        erasure_id=new_ulid(),
        mark=utc_now(),
        sealer=FernetSealer(new_seal_key()),
        now=utc_now,
    )

    await erasure.mark()
    await erasure.remove_rows()

    assert await examples(database, shop) == ()


async def test_an_embedded_question_is_found_by_meaning(database: Database, shop: Shop) -> None:
    await accepted(database, shop, "Le retour ?", "Oui, avec plaisir.")
    await accepted(database, shop, "Où est mon colis ?", "Il arrive bientôt.")
    await sweep(database, Encoder())

    found = await examples(database, shop, _vector(is_return=False))

    assert [one.answer for one in found] == ["Il arrive bientôt.", "Oui, avec plaisir."]


async def test_a_question_that_cannot_be_embedded_is_found_by_its_words(
    database: Database, shop: Shop
) -> None:
    await accepted(database, shop, "Le retour est gratuit ?", "Oui, avec plaisir.")
    broken = (await only_row(database, labelled_examples, of=shop))["text"]
    await sweep(database, Encoder(broken))

    row = await only_row(database, labelled_examples, of=shop)
    assert (row["embedding"], row["embedding_model"]) == (None, MODEL)
    assert len(await examples(database, shop, _vector(is_return=True))) == 1


async def test_while_the_provider_is_down_nothing_is_marked(database: Database, shop: Shop) -> None:
    await accepted(database, shop, "Le retour est gratuit ?", "Oui, avec plaisir.")
    broken = (await only_row(database, labelled_examples, of=shop))["text"]
    await sweep(database, Encoder(broken, "Hello"))

    (row,) = await rows(database, labelled_examples, of=shop)
    assert row["embedding_model"] is None


async def test_an_example_without_an_answer_is_not_used(database: Database, shop: Shop) -> None:
    await accepted(database, shop, "Le retour ?", "Oui.")
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(labelled_examples).values(answer=None))

    assert await examples(database, shop) == ()
