"""Customers' requests for their data, as shops hand them on."""

from collections.abc import Collection
from datetime import datetime

from domain.inbound.data_request import DataRequest
from store.core.repository import TenantRepository


class DataRequestRepository(TenantRepository):
    async def open(
        self,
        request_id: str,
        *,
        integration_id: str,
        customer_email: str | None,
        order_ids: Collection[str],
        now: datetime,
    ) -> bool:
        """Note a request; False for one of this id that is there already."""
        raise NotImplementedError

    async def page(self, *, after: str | None, limit: int) -> tuple[DataRequest, ...]:
        """The newest first; `after`: the id of the last one of the page before."""
        raise NotImplementedError

    async def read(self, request_id: str) -> DataRequest:
        """Raises DataRequestNotFound."""
        raise NotImplementedError

    async def fulfil(self, request_id: str, *, by: str, now: datetime) -> bool:
        """Note who handed the data over; the first time stays. Raises DataRequestNotFound."""
        raise NotImplementedError
