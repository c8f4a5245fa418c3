"""Metrics about the whole installation, exposed by every API process, even if no worker is
running."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from temporalio.client import Client

from adapters.observability.state import Look, Number
from adapters.temporal.backlog import failed_schedules, queue_backlog
from adapters.temporal.health import Work
from domain.core import names
from domain.core.ports import Clock
from store.analytics.backlog import read_backlog
from store.core.database import Database
from store.tenants.automation import InstallationStops

_QUEUES: Final = (names.ENGINE_QUEUE, names.WEBHOOKS_QUEUE)
_FAILED_WITHIN: Final = timedelta(hours=24)


def state_sources(database: Database, client: Client, now: Clock) -> Mapping[str, Look]:
    """Return the sources of the installation's metrics. `database` is a connection pool that
    requests do not use, so that reading metrics never delays a request."""

    async def in_database() -> Sequence[Number]:
        async with database.reading_across() as connection:
            found = await read_backlog(connection)
            stop = await InstallationStops(connection).read()
        return (
            Number("received_runs", found.received_runs),
            Number(
                "oldest_received_run_seconds",
                _age_s(found.oldest_received, now()),
            ),
            Number("installation_stopped", stop is not None),
            Number("open_reviews", found.open_reviews),
            Number("pending_deliveries", found.pending_deliveries),
            Number("unfinished_webhooks", found.unfinished_webhooks),
            Number("oldest_unfinished_webhook_seconds", _age_s(found.oldest_webhook, now())),
        )

    async def in_temporal() -> Sequence[Number]:
        numbers = [
            Number("failed_schedules", await failed_schedules(client, now() - _FAILED_WITHIN))
        ]
        for queue in _QUEUES:
            for work in Work:
                found = await queue_backlog(client, work, queue=queue)
                labels = {"queue": queue, "work": work.name.lower()}
                numbers += [
                    Number("task_queue_backlog", found.tasks, labels),
                    Number("task_queue_backlog_seconds", found.age.total_seconds(), labels),
                ]
        return numbers

    return {"database": in_database, "temporal": in_temporal}


def _age_s(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0
