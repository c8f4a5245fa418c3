"""The nightly activity that trains each client's own classifier head on the client's decided
tickets."""

from dataclasses import dataclass, field
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from activities.runtime.client_pages import client_pages
from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.learning.contracts import LearnHeadsInput, LearnHeadsResult
from domain.learning.own_head_trial import LONGEST, OwnHeadState, TriesHeads, is_due
from domain.tenants.errors import ClientNotFound
from store.core.database import Database
from store.learning.own_heads import OwnHeadRepository, remove_old_heads

_CLIENTS_AT_ONCE: Final = 500

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Progress:
    """The progress in the heartbeat: the last processed client, and the counts so far."""

    client_id: str = ""
    done: LearnHeadsResult = field(default_factory=LearnHeadsResult)


class LearnHeads:
    """The activity that trains clients' own classifier heads. `heads` is None if the brain is a
    language model. In that case, heads older than LONGEST are removed, and none is trained."""

    def __init__(
        self, database: Database, heads: TriesHeads | None, now: Clock, new_id: NewId
    ) -> None:
        self._database = database
        self._heads = heads
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.LEARN_HEADS)
    async def learn(self, step: LearnHeadsInput) -> LearnHeadsResult:
        """Train the classifier heads that are due, for one client or for all clients in sequence.

        Idempotency key: the client's decided tickets. A head for nearly the same tickets is kept. A
        retry continues after the last client. A failed client is counted and does not stop the
        others.
        """
        place = _broken_off()
        if self._heads is None:
            async with self._database.service() as connection:
                await remove_old_heads(connection, self._now() - LONGEST)
            return place.done
        pages = client_pages(
            self._database, step.client_id, after=place.client_id, size=_CLIENTS_AT_ONCE
        )
        async for page in pages:
            for client_id in page:
                try:
                    # Heartbeats are needed because training takes seconds, and longer on a busy
                    # machine.
                    async with beating(place.client_id, place.done):
                        state = await self._learn(TenantId(client_id), self._heads)
                    done = _counted(place.done, state)
                except (EngineUnavailable, SQLAlchemyError):
                    # `ping` raises an error during an outage, which is not this client's failure.
                    await self._database.ping()
                    _log.error("failed to train a client's classifier head", client_id=client_id)
                    done = place.done.model_copy(update={"failed": place.done.failed + 1})
                place = _Progress(client_id, done)
                activity.heartbeat(client_id, done)
        return place.done

    async def _learn(self, tenant: TenantId, heads: TriesHeads) -> OwnHeadState | None:
        """Train the client's classifier head and store it. Return its state, or None if no training
        was due or a ticket was removed during the training."""
        async with self._database.reading(tenant) as connection:
            repository = OwnHeadRepository(connection, tenant)
            versions = await repository.versions()
            latest = versions[0] if versions else None
            if not is_due(latest, await repository.decided(), heads.model, self._now()):
                return None
            lessons = await repository.lessons()
        tried = await heads.tried(lessons)
        try:
            async with self._database.tenant(tenant) as connection:
                is_kept = await OwnHeadRepository(connection, tenant).keep(
                    self._new_id(), tried, lessons, model=heads.model, now=self._now()
                )
        except ClientNotFound:
            return None
        return tried.state if is_kept else None


def _counted(done: LearnHeadsResult, state: OwnHeadState | None) -> LearnHeadsResult:
    if state is None:
        return done
    is_used = state is OwnHeadState.USED
    return done.model_copy(update={"tried": done.tried + 1, "used": done.used + is_used})


def _broken_off() -> _Progress:
    match activity.info().heartbeat_details:
        case [str(client_id), dict(done)]:
            return _Progress(client_id, LearnHeadsResult.model_validate(done))
    return _Progress()
