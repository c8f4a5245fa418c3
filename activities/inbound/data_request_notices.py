"""Emails to a client's owner about customers who have requested their data."""

from temporalio import activity

from activities.integrations.service_mails import ServiceMails
from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.core.service_name import ServiceName
from domain.inbound.data_request_mail import data_request_mail
from domain.integrations.service_mail import ServiceMail
from store.core.database import Database
from store.inbound.data_requests import DataRequestRepository, owner_address, unnotified

_AT_ONCE = 200


class DataRequestNotices:
    """The activity that sends notices about data requests. `dashboard_url` is the URL of the page
    where the owner sees the requests."""

    def __init__(
        self,
        database: Database,
        mails: ServiceMails,
        now: Clock,
        *,
        dashboard_url: str,
        service: ServiceName,
    ) -> None:
        self._service = service
        self._database = database
        self._mails = mails
        self._now = now
        self._dashboard_url = dashboard_url

    @activity.defn(name=names.TELL_OF_DATA_REQUESTS)
    async def tell(self) -> None:
        """Email the owner about each data request for which no email was sent yet. An email is sent
        twice only if the worker crashes after the mail server has accepted it.

        Idempotency key: the Message-ID, derived from the request's id. Raises MailUnreachable,
        which Temporal retries. A rejected email, or one with an unknown outcome, is logged and not
        sent again.
        """
        async with beating():
            async with self._database.service() as connection:
                requests = await unnotified(connection, limit=_AT_ONCE)
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
            await self._mails.send_once(ServiceMail.DATA_REQUEST, mail, tenant)
        async with self._database.tenant(tenant) as connection:
            await DataRequestRepository(connection, tenant).mark_notified(request_id, self._now())
