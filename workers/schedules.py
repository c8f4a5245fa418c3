"""Create Temporal's schedules and search attributes before the engine worker starts."""

from temporalio.client import Client
from temporalio.service import RPCError

from adapters.temporal.setup import (
    ensure_calendar_schedules,
    ensure_mail_members_schedule,
    ensure_reconcile_schedule,
    ensure_search_attributes,
    ensure_sweep_schedule,
)
from domain.core.errors import EngineUnavailable
from domain.inbound.polling import PollInput
from domain.runs.contracts import SweepInput
from settings import Settings


async def ensure_schedules(settings: Settings, client: Client) -> None:
    """Create the schedules and search attributes, or update them to the current settings.

    Raises EngineUnavailable.
    """
    # The module is imported inside the function, so that a webhook worker does not load the brain.
    from adapters.brain.embeddings import embedding_model  # noqa: PLC0415

    sweep = SweepInput(
        older_than_s=settings.sweep.after_s,
        review_expiry_s=settings.reviews.expiry_s,
        remote_brain=settings.brain.is_remote,
        embedding_model=embedding_model(settings.embedding) or "",
    )
    poll = PollInput(
        remote_brain=settings.brain.is_remote, review_expiry_s=settings.reviews.expiry_s
    )
    try:
        await ensure_search_attributes(client)
        await ensure_sweep_schedule(client, sweep, settings.sweep.interval_s)
        await ensure_reconcile_schedule(client, poll)
        await ensure_mail_members_schedule(client)
        await ensure_calendar_schedules(client)
    except RPCError as error:
        raise EngineUnavailable(
            f"namespace {settings.temporal.namespace}: {error.status.name.lower()}"
        ) from error
