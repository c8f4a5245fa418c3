"""A plan is stored once, whichever attempt finishes first."""

import asyncio

from activities.intake.normalize import Normalize
from activities.runtime.fair_normalizer import FairNormalizer
from adapters.normalizing.pool import NormalizerPool
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.contracts import ThinkInput
from domain.agent.safety.net import SafetyGrammar
from domain.core.contracts import RunRef
from domain.intake.contracts import NormalizeInput
from domain.runs.conversation import THREAD_LASTS
from store.core.database import Database
from store.runs.tables import engine_runs, sentiment_logs
from tests.support.agent.acting import ScriptedBrain
from tests.support.core.engine import think_with
from tests.support.core.rows import only_row, rows
from tests.support.intake.admission import admit_event
from tests.support.intake.attachments import INVOICE, PHOTO, keep_attachments
from tests.support.tenants.shop import Shop


async def normalized(database: Database, shop: Shop, event_type: str = "x") -> RunRef:
    ref = (
        await admit_event(
            database, shop, message="Quels sont vos horaires ?", event_type=event_type
        )
    ).ref
    step = Normalize(
        database,
        utc_now,
        new_ulid,
        normalizer=FairNormalizer(NormalizerPool()),
        thread_lasts=THREAD_LASTS,
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
    )
    await step.normalize(NormalizeInput(ref=ref))
    return ref


class SlowBrain(ScriptedBrain):
    """A brain that answers when the test lets it."""

    def __init__(self) -> None:
        super().__init__(category=Category.COMPLAINT, text="late")
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def think(self, request: BrainRequest) -> BrainAnswer:
        self.asked.set()
        await self.may_answer.wait()
        return await super().think(request)


async def test_a_try_that_comes_late_changes_nothing(database: Database, shop: Shop) -> None:
    """Temporal has timed out the first attempt, and another worker already executes its plan."""
    ref = await normalized(database, shop)
    question, slow = ThinkInput(ref=ref, threshold=0.7), SlowBrain()

    late = asyncio.ensure_future(think_with(database, slow).think(question))
    await slow.asked.wait()
    first = await think_with(database, ScriptedBrain(category=Category.OTHER)).think(question)
    slow.may_answer.set()
    second = await late

    assert first.classification == second.classification == Category.OTHER
    run = await only_row(database, engine_runs, of=shop)
    assert (run["classification"], run["draft"]) == (Category.OTHER, "C'est fait.")
    assert len(await rows(database, sentiment_logs, of=shop)) <= 1


async def test_only_who_sees_images_is_given_them(database: Database, shop: Shop) -> None:
    for sees_images in (True, False):
        ref, brain = await normalized(database, shop), ScriptedBrain()
        await keep_attachments(database, shop.tenant, ref.event_id, INVOICE, PHOTO)

        step = think_with(database, brain, sees_images=sees_images)
        await step.think(ThinkInput(ref=ref, threshold=0.7))

        (request,) = brain.requests
        shown = PHOTO.data if sees_images else None
        assert [(one.name, one.data) for one in request.attachments] == [
            (INVOICE.name, None), (PHOTO.name, shown)
        ]  # fmt: skip
