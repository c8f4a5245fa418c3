"""The time limits are consistent with the work that they contain."""

from datetime import timedelta

import pytest
from temporalio.workflow import ActivityConfig, LocalActivityConfig

from activities.runtime import worker_slots
from activities.webhooks import deliver, delivery_limiter
from adapters.brain import embeddings, llm
from adapters.webhooks import sender
from api import gateway_answers
from commands.core import server
from store.core import database
from workers import engine as engine_worker
from workers import webhooks as webhook_worker
from workflows import options


def test_a_model_may_take_its_time_after_the_search_for_knowledge_took_its_own() -> None:
    """Otherwise a slow provider's answer is discarded, requested again and paid for twice."""
    longest = timedelta(seconds=embeddings.DEADLINE_S + llm.DEADLINE_S)

    given = options.REMOTE_BRAIN["start_to_close_timeout"]
    assert given is not None
    assert given > longest + timedelta(seconds=1)


def test_a_delivery_may_wait_for_its_place_be_sent_and_be_recorded() -> None:
    """Otherwise it is sent twice."""
    tries = len(deliver.RECORD_PAUSES_S) + 1
    recorded = sum(deliver.RECORD_PAUSES_S) + tries * database.PATIENCE_S
    longest = timedelta(seconds=delivery_limiter.LONGEST_WAIT_S + sender.BUDGET_S + recorded)

    given = options.DELIVERING["start_to_close_timeout"]
    assert given is not None
    assert given > longest


@pytest.mark.parametrize(
    "step",
    [
        options.INSIDE,
        options.LOOK_UP_INSIDE,
        options.LOOK_UP,
        options.REMOTE_BRAIN,
        options.OUTSIDE,
        options.PATIENT,
    ],
)
def test_a_worker_that_ends_leaves_a_step_its_time(
    step: ActivityConfig | LocalActivityConfig,
) -> None:
    """Steps with a waiting caller."""
    longest = step["start_to_close_timeout"]
    assert longest is not None
    assert longest < engine_worker.GRACE


def test_an_api_that_ends_leaves_a_call_its_time() -> None:
    assert gateway_answers.DEADLINE_S < server.GRACE_S


def test_a_worker_that_ends_leaves_a_post_its_time() -> None:
    assert timedelta(seconds=sender.BUDGET_S) < webhook_worker.GRACE


@pytest.mark.parametrize(
    "work", [options.TRYING, options.OPENING_SITE, options.READING_SITE, options.REPLAYING]
)
def test_work_that_waits_for_a_slot_is_not_forgotten(work: ActivityConfig) -> None:
    """Otherwise each attempt joins the end of the line, and eight clients starve the ninth."""
    policy = work["retry_policy"]
    assert policy is not None
    assert policy.maximum_interval is not None
    assert 2 * policy.maximum_interval.total_seconds() < worker_slots.FORGOTTEN_AFTER_S
