"""What operators see of a run in the Temporal UI: its state, and the meaning of its events."""

from collections import Counter

import temporalio.api.enums.v1 as enums
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import WorkflowHandle
from temporalio.converter import DataConverter

from domain.core import names
from domain.reviews.escalation import Decision
from domain.runs.contracts import RunProgress, RunStep
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from workflows.summaries import SUMMARIES

LOST_WORDS = "Où est ma commande 1042 ? Le chat a mangé le bon de livraison."


async def _details(run: "WorkflowHandle[object, object]") -> str:
    metadata = await run.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    return str(metadata.current_details)


async def _summaries(run: "WorkflowHandle[object, object]") -> Counter[str]:
    """Return the summaries of a run's events, with their numbers."""
    found = Counter[str]()
    async for event in run.fetch_history_events():
        if event.user_metadata.HasField("summary"):
            converter = DataConverter.default.payload_converter
            kind = enums.EventType.Name(event.event_type).removeprefix("EVENT_TYPE_")
            summary = converter.from_payload(event.user_metadata.summary, str)
            found[f"{kind}: {summary}"] += 1
    return found


async def test_a_parked_run_says_what_it_waits_for(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=LOST_WORDS, customer_email="a@b.example")).json()
    review = await only_row(engine.database, escalation_tickets, of=shop)
    run = engine.run_of(shop, body["event_id"])

    parked = await run.query(names.STATE_QUERY, result_type=RunProgress)
    waiting = await _details(run)
    filters = {pair.key.name: pair.value for pair in (await run.describe()).typed_search_attributes}
    await engine.decide(review["id"], Decision.APPROVE)
    await run.result()
    done = await run.query(names.STATE_QUERY, result_type=RunProgress)

    assert (parked.step, parked.status, parked.review_id) == (
        RunStep.REVIEW, "needs_review", review["id"],
    )  # fmt: skip
    assert parked.reason == review["reason"]
    assert parked.expires_at is not None
    for said in (body["run_id"], review["id"], review["reason"], "agent of the client"):
        assert said in waiting
    assert filters["ReviewReason"] == review["reason"]
    assert filters["ClientId"] == shop.client_id
    assert (done.step, done.status) == (RunStep.DONE, "completed")
    assert "a@b.example" not in waiting


async def test_each_step_says_what_it_is(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=ORDER_QUESTION, customer_email="a@b.example")).json()
    run = engine.run_of(shop, body["event_id"])
    await run.result()

    page = f"/app/runs/{body['run_id']})"
    assert page in str(await (await run.describe()).static_details())
    found = await _summaries(run)

    assert found == Counter(
        {
            f"MARKER_RECORDED: {SUMMARIES[step]}": 1
            for step in (names.NORMALIZE, names.THINK, names.EXECUTE, names.PERSIST)
        }
    )


async def test_a_review_s_timer_says_what_it_is(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message=LOST_WORDS)).json()

    found = await _summaries(engine.run_of(shop, body["event_id"]))

    assert found["TIMER_STARTED: The review expires"] == 1
