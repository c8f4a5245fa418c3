"""Work on webhook: from the stored bytes to their effect."""

from collections.abc import Mapping

from temporalio import activity

from domain.core import names
from domain.core.ports import Clock
from domain.inbound.contracts import ProcessWebhookInput, WebhookWorked
from domain.inbound.ports import Platform
from domain.integrations.provider import Provider
from services.core.unit_of_work import UnitsOfWork


class WorkOnWebhook:
    """`platforms`: how each provider's bytes are read."""

    def __init__(
        self, units: UnitsOfWork, now: Clock, *, platforms: Mapping[Provider, Platform]
    ) -> None:
        self._units = units
        self._now = now
        self._platforms = platforms

    @activity.defn(name=names.WORK_ON_WEBHOOK)
    async def work(self, step: ProcessWebhookInput) -> WebhookWorked:
        """Give the webhook its effect, in one transaction with the row that says so.

        Idempotency key: the webhook's row. One that has ended changes nothing any more.
        """
        raise NotImplementedError
