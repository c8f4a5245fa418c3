"""The activity that polls platforms for changes that were not delivered by webhook."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef
from domain.inbound.errors import InboundBusy
from domain.inbound.polling import POLLED, Pollers, PollInput, PollResult, Polls, is_due
from domain.inbound.ports import EndpointFacts, Platform, WebhookStarter
from domain.integrations.errors import ActionRefused, ActionUnreachable, NotAuthorized
from domain.integrations.providers import Provider
from services.core.unit_of_work import UnitsOfWork
from services.inbound.reconciling import keep_found, read_changes
from store.inbound.poll_cursors import PollCursorRepository, PolledConnection, polled_connections
from store.integrations.integrations import IntegrationRepository

_CONNECTIONS: Final = 100
_AT_ONCE: Final = 8
# Timeout for each connection, in seconds. The next poll continues where the last one stopped.
_PATIENCE_S: Final = 10.0
_TOO_SLOW: Final = "too_slow"
_UNEXPECTED: Final = "unexpected"

_log = structlog.get_logger(__name__)


class PollIntegrations:
    """The activity that polls platforms for changes. `platforms` parse changes like webhooks.
    `patience_s` is the timeout per connection in seconds."""

    def __init__(
        self,
        units: UnitsOfWork,
        pollers: Pollers,
        engine: WebhookStarter,
        now: Clock,
        *,
        platforms: Mapping[Provider, Platform],
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._units = units
        self._pollers = pollers
        self._engine = engine
        self._now = now
        self._platforms = platforms
        self._patience_s = patience_s

    @activity.defn(name=names.POLL_INTEGRATIONS)
    async def poll(self, step: PollInput) -> PollResult:
        """Poll several connections at a time for changes since their last polls.

        Idempotency keys: the identity of each change, and the connection's cursor, written in one
        transaction. A retry repeats the previous attempt's batch, known from its heartbeats. A
        failed connection is polled less often and does not stop the others.
        """
        after, done = _stopped_at()
        while True:
            so_far = (*after, *_counted(done))
            activity.heartbeat(*so_far)
            # Heartbeats are needed because platforms may take longer than the heartbeat timeout.
            async with beating(*so_far):
                async with self._units.database.service() as connection:
                    batch = await polled_connections(
                        connection, POLLED, after=after, limit=_CONNECTIONS
                    )
                for result in await self._batch(step, batch):
                    done = _sum(done, result)
            if batch:
                after = (batch[-1].tenant, batch[-1].integration.id)
                activity.heartbeat(*after, *_counted(done))
            if len(batch) < _CONNECTIONS:
                return done

    async def _batch(self, step: PollInput, batch: Sequence[PolledConnection]) -> list[PollResult]:
        """Poll the due connections, and return their results. Several clients are polled
        concurrently, but one connection per client at a time. An error cancels all polls."""
        free = asyncio.Semaphore(_AT_ONCE)

        async def of_client(connections: Sequence[PolledConnection]) -> PollResult:
            done = PollResult()
            for one in connections:
                async with free:
                    done = _sum(done, await self._one(step, one))
            return done

        now = self._now()
        due = [one for one in batch if is_due(one.cursor, one.connected_at, now)]
        try:
            async with asyncio.TaskGroup() as group:
                asked = [group.create_task(of_client(theirs)) for theirs in _turns(due)]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        return [task.result() for task in asked]

    async def _one(self, step: PollInput, one: PolledConnection) -> PollResult:
        """Poll one connection within its timeout, and return the result.

        A timeout is a failure, so that a slow platform is polled less and less. If pages were
        stored before it, they are kept, the failure count is reset, and the interval is only
        doubled.
        """
        found = 0
        position = dict(one.cursor.position) if one.cursor else {}
        until = asyncio.get_running_loop().time() + self._patience_s
        try:
            polls, has_more = self._pollers.poller(one.integration), True
            while has_more:
                new, position, has_more = await self._page(step, one, polls, position, until=until)
                found += new
        except (ActionRefused, ActionUnreachable) as error:
            await self._fail(one, error.code)
            return PollResult(polled=1, found=found, failed=1)
        except TimeoutError:
            await self._fail(one, _TOO_SLOW)
            return PollResult(polled=1, found=found, failed=1)
        except InboundBusy as error:
            _log.warning("poll stopped at a storage limit", client_id=one.tenant, error=error.code)
            return PollResult(polled=1, found=found)
        except (EngineUnavailable, SQLAlchemyError) as error:
            # `ping` raises an error if the database is down. In that case, the connection itself
            # did not fail.
            await self._units.database.ping()
            _log.error("poll failed", client_id=one.tenant, error=type(error).__name__)
            return PollResult(failed=1)
        except Exception as error:  # noqa: BLE001 - merchants choose what their shops answer
            _log.error("poll failed", client_id=one.tenant, error=type(error).__name__)
            await self._fail(one, _UNEXPECTED)
            return PollResult(polled=1, found=found, failed=1)
        if one.is_refused:
            async with self._units.database.tenant(one.tenant) as connection:
                await IntegrationRepository(connection, one.tenant).trust(one.integration.id)
        return PollResult(polled=1, found=found)

    async def _page(
        self,
        step: PollInput,
        one: PolledConnection,
        polls: Polls,
        position: Mapping[str, str],
        *,
        until: float,
    ) -> tuple[int, dict[str, str], bool]:
        """Read and store one page of changes. Return the number of new changes, the next position,
        and whether there are more.

        Raises TimeoutError after `until`, a time on the event loop's clock.
        """
        platform = self._platforms[one.integration.provider]
        facts = EndpointFacts(one.integration.id, one.integration.settings, received_at=self._now())
        # The timeout excludes database time. A slow database is not the platform's fault, and a
        # transaction is never interrupted.
        async with asyncio.timeout_at(until):
            page = await polls.changes(position, one.connected_at)
            # The parsing runs in a thread because untrusted text may take a long time.
            read = await asyncio.to_thread(read_changes, platform, facts, page.changes)
        async with self._units.of(one.tenant) as work:
            kept = await keep_found(work, platform, one.integration.id, read, page)
        for webhook in kept:
            if webhook.starts:
                await self._start(step, one, webhook.id)
        return len(kept), dict(page.position), page.has_more

    async def _start(self, step: PollInput, one: PolledConnection, webhook_id: str) -> None:
        ref = WebhookRef(client_id=one.tenant, webhook_id=webhook_id)
        try:
            await self._engine.process_webhook(
                ProcessWebhookInput(
                    ref=ref, remote_brain=step.remote_brain, review_expiry_s=step.review_expiry_s
                )
            )
        except EngineUnavailable as error:
            _log.warning(
                "failed to start the workflow of a polled webhook",
                webhook_id=webhook_id,
                code=error.code,
            )

    async def _fail(self, one: PolledConnection, code: str) -> None:
        async with self._units.database.tenant(one.tenant) as connection:
            cursors = PollCursorRepository(connection, one.tenant)
            await cursors.fail(one.integration.id, code, self._now())
            if code == NotAuthorized.code:
                repository = IntegrationRepository(connection, one.tenant)
                await repository.doubt(one.integration.id, self._now())
        _log.warning(
            "failed to poll a platform",
            client_id=one.tenant,
            integration_id=one.integration.id,
            error_code=code,
        )


def _turns(due: Iterable[PolledConnection]) -> list[list[PolledConnection]]:
    """Return the due connections, grouped by client, those with the fewest failures first. A new
    connection counts as failed once."""
    turns: dict[TenantId, list[PolledConnection]] = {}
    for one in sorted(due, key=lambda one: one.cursor.failures if one.cursor else 1):
        turns.setdefault(one.tenant, []).append(one)
    return list(turns.values())


def _counted(done: PollResult) -> tuple[int, int, int]:
    return done.polled, done.found, done.failed


def _sum(one: PollResult, other: PollResult) -> PollResult:
    return PollResult(
        polled=one.polled + other.polled,
        found=one.found + other.found,
        failed=one.failed + other.failed,
    )


def _stopped_at() -> tuple[tuple[str, str], PollResult]:
    """Return the previous attempt's progress: the last finished client and connection, and the
    results so far."""
    match activity.info().heartbeat_details:
        case [str(client_id), str(integration_id), int(polled), int(found), int(failed)]:
            done = PollResult(polled=polled, found=found, failed=failed)
            return (client_id, integration_id), done
    return ("", ""), PollResult()
