"""The time limits fit what they are around."""

from datetime import timedelta

from activities.webhooks import deliver, permits
from adapters.brain import embeddings, llm
from adapters.webhooks import sender
from store.core import database
from workers import webhooks as webhook_worker
from workflows import options


def test_a_model_may_take_its_time_after_the_search_for_knowledge_took_its_own() -> None:
    """Else the answer of a slow provider is thrown away, and asked and paid for again."""
    longest = timedelta(seconds=embeddings.DEADLINE_S + llm.DEADLINE_S)

    given = options.REMOTE_BRAIN["start_to_close_timeout"]
    assert given is not None
    assert given > longest + timedelta(seconds=1)


def test_a_delivery_may_wait_for_its_place_be_sent_and_be_recorded() -> None:
    """Else it is sent twice."""
    tries = len(deliver.RECORD_PAUSES_S) + 1
    recorded = sum(deliver.RECORD_PAUSES_S) + tries * database.PATIENCE_S
    longest = timedelta(seconds=permits.LONGEST_WAIT_S + sender.BUDGET_S + recorded)

    given = options.DELIVERING["start_to_close_timeout"]
    assert given is not None
    assert given > longest


def test_a_worker_that_ends_leaves_a_post_its_time() -> None:
    assert timedelta(seconds=sender.BUDGET_S) < webhook_worker.GRACE
