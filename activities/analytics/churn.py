"""The activity that computes each customer's churn risk."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from activities.runtime.bisect_batch import bisect_batch
from activities.runtime.client_pages import client_pages
from domain.analytics.churn import ChurnLevel, predict, week_of
from domain.analytics.contracts import PredictChurnInput, PredictChurnResult
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from store.analytics.churn import ChurnRepository
from store.core.database import Database

_CLIENTS_AT_ONCE: Final = 500
_CUSTOMERS_AT_ONCE: Final = 200

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Place:
    """The progress in Temporal's heartbeat: the last completed client, and the id of the last
    prediction for the client in progress. Temporal must not store the customer's email address."""

    client_id: str = ""
    prediction_id: str = ""
    done: PredictChurnResult = field(default_factory=PredictChurnResult)

    def tell(self) -> None:
        activity.heartbeat(self.client_id, self.prediction_id, self.done)


class Churn:
    def __init__(self, database: Database, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.PREDICT_CHURN)
    async def predict(self, step: PredictChurnInput) -> PredictChurnResult:
        """Compute the predictions for the customers of one client, or of all clients, page by page.

        Idempotency key: (client, week, customer). A retry continues after the last page. Failed
        predictions, and clients whose customers cannot be listed, are counted and logged.
        """
        place = _broken_off()
        pages = client_pages(
            self._database, step.client_id, after=place.client_id, size=_CLIENTS_AT_ONCE
        )
        async for page in pages:
            for client_id in page:
                try:
                    place = await self._client(TenantId(client_id), step.at, place)
                except (EngineUnavailable, SQLAlchemyError):
                    await self._database.ping()  # `ping` raises an error if the database is down.
                    _log.error("churn prediction failed", client_id=client_id)
                    failed = place.done.failed + 1
                    place = replace(place, done=place.done.model_copy(update={"failed": failed}))
                place = _Place(client_id=client_id, done=place.done)
                place.tell()
        return place.done

    async def _client(self, tenant: TenantId, at: datetime, place: _Place) -> _Place:
        last = await self._last_customer(tenant, place)
        while True:
            async with self._database.tenant(tenant) as connection:
                customers = await ChurnRepository(connection, tenant).customers(
                    at, after=last, limit=_CUSTOMERS_AT_ONCE
                )
            if not customers:
                return place
            place = await self._page(tenant, customers, at, place)
            last = customers[-1]
            place.tell()

    async def _page(
        self, tenant: TenantId, customers: Sequence[str], at: datetime, place: _Place
    ) -> _Place:
        async def work(part: Sequence[str]) -> PredictChurnResult:
            return await self._predict(tenant, part, at)

        made, failed = await bisect_batch(self._database, customers, work, beat=place.tell)
        if failed:
            _log.error("churn prediction failed", client_id=tenant, customers=len(failed))
        async with self._database.tenant(tenant) as connection:
            last = await ChurnRepository(connection, tenant).id_of(week_of(at), customers[-1])
        done = PredictChurnResult(
            predicted=place.done.predicted + sum(one.predicted for one in made),
            high=place.done.high + sum(one.high for one in made),
            failed=place.done.failed + len(failed),
        )
        return replace(place, prediction_id=last or place.prediction_id, done=done)

    async def _predict(
        self, tenant: TenantId, customers: Sequence[str], at: datetime
    ) -> PredictChurnResult:
        async with self._database.tenant(tenant) as connection:
            repository = ChurnRepository(connection, tenant)
            histories = await repository.histories(customers, at)
            predictions = {
                customer: predict(history, at) for customer, history in histories.items()
            }
            await repository.keep(predictions, week_of(at), now=self._now(), new_id=self._new_id)
        high = sum(prediction.level is ChurnLevel.HIGH for prediction in predictions.values())
        return PredictChurnResult(predicted=len(predictions), high=high)

    async def _last_customer(self, tenant: TenantId, place: _Place) -> str:
        """Return the last customer of this client that the previous attempt processed, or "" if
        there is none."""
        if not place.prediction_id:
            return ""
        async with self._database.tenant(tenant) as connection:
            return await ChurnRepository(connection, tenant).customer_of(place.prediction_id) or ""


def _broken_off() -> _Place:
    """Return the previous attempt's progress from its heartbeat. Without a heartbeat, return a
    _Place before the first client."""
    match activity.info().heartbeat_details:
        case [str(client_id), str(prediction_id), dict(done)]:
            return _Place(client_id, prediction_id, PredictChurnResult.model_validate(done))
    return _Place()
