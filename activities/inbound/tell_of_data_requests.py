"""Tell of data requests: the mail to a client's owner about a customer who wants their data."""

import structlog
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Mailer
from domain.core.service_name import ServiceName
from domain.inbound.data_request_mail import data_request_mail
from domain.integrations.errors import MailRefused, MailUnknown
from store.core.database import Database
from store.inbound.data_requests import DataRequestRepository, owner_address, untold

_AT_ONCE = 200

_log = structlog.get_logger(__name__)


class TellOfDataRequests:
    """`dashboard_url`: where the owner sees what is asked."""

    def __init__(
        self,
        database: Database,
        mailer: Mailer,
        now: Clock,
        *,
        dashboard_url: str,
        service: ServiceName,
    ) -> None:
        self._service = service
        self._database = database
        self._mailer = mailer
        self._now = now
        self._dashboard_url = dashboard_url

    @activity.defn(name=names.TELL_OF_DATA_REQUESTS)
    async def tell(self) -> None:
        """Write to the owner of each request that has had no mail. A mail is sent once, unless this
        worker dies with the mail handed over.

        Idempotency key: the Message-ID, made of the request's id. Raises MailUnreachable, for
        Temporal to retry. A refused mail, and one of unknown fate, is logged and not sent again.
        """
        async with beating():
            async with self._database.service() as connection:
                requests = await untold(connection, limit=_AT_ONCE)
            for client_id, request_id in requests:
                await self._tell(TenantId(client_id), request_id)

    async def _tell(self, tenant: TenantId, request_id: str) -> None:
        async with self._database.service() as connection:
            address = await owner_address(connection, tenant)
            request = await DataRequestRepository(connection, tenant).read(request_id)
        if address is not None and request.fulfilled_at is None:
            mail = data_request_mail(
                request, address, dashboard_url=self._dashboard_url, service=self._service
            )
            try:
                await self._mailer.send(mail)
            except (MailRefused, MailUnknown) as error:
                _log.warning("owner not told of a data request", error_code=error.code)
        async with self._database.tenant(tenant) as connection:
            await DataRequestRepository(connection, tenant).told(request_id, self._now())
