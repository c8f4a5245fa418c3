"""The activity that posts a notice about a pending review to the client's chat."""

from typing import get_args

import structlog
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.integrations.errors import ActionForbidden, ActionRefused, NotAuthorized
from domain.integrations.integration import Integration
from domain.integrations.ports import Connectors
from domain.integrations.providers import Provider
from domain.reviews.contracts import TellReviewersInput
from domain.reviews.review_notice import NoticeLanguage, ReviewNotice, notice_text
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.reviews.notices import open_review_notice

_log = structlog.get_logger(__name__)


class ReviewNotices:
    """The activity that posts notices about pending reviews. `dashboard_url` is the URL of the page
    where human agents decide reviews."""

    def __init__(
        self,
        database: Database,
        connectors: Connectors,
        now: Clock,
        new_id: NewId,
        *,
        dashboard_url: str,
    ) -> None:
        self._database = database
        self._connectors = connectors
        self._now = now
        self._new_id = new_id
        self._dashboard_url = dashboard_url

    @activity.defn(name=names.TELL_OF_REVIEW)
    async def tell(self, step: TellReviewersInput) -> None:
        """Post the notice about a review that is undecided, if the chat is connected.

        Slack has no idempotency key. An unknown outcome is retried because a duplicate is better
        than a missing notice. Raises ActionUnreachable, which Temporal retries. A 403 response is
        recorded on the connection, and other rejections are logged. A deleted webhook URL marks the
        connection as failed.
        """
        tenant = TenantId(step.client_id)
        async with self._database.tenant(tenant) as connection:
            notice = await open_review_notice(connection, tenant, step.review_id)
            chat = await IntegrationRepository(connection, tenant).connected_to(Provider.SLACK)
        if notice is None or chat is None:
            return
        text = notice_text(notice, _language(chat), self._dashboard_url)
        try:
            async with beating():
                await self._connectors.notices(chat).tell(text)
        except NotAuthorized as error:
            await self._fail(tenant, chat, notice, error)
        except ActionForbidden as error:
            await self._note(tenant, chat, error.code)
            raise
        except ActionRefused as error:
            _log.warning(
                "failed to notify reviewers", review_id=step.review_id, error_code=error.code
            )
        else:
            if chat.error_code is not None:
                await self._note(tenant, chat, None)

    async def _note(self, tenant: TenantId, chat: Integration, code: str | None) -> None:
        async with self._database.tenant(tenant) as connection:
            await IntegrationRepository(connection, tenant).note_refusal(chat.id, code)

    async def _fail(
        self, tenant: TenantId, chat: Integration, notice: ReviewNotice, error: NotAuthorized
    ) -> None:
        """Mark the connection as failed. The sweep sends the webhook event about the failure
        because the run may already have ended."""
        _log.warning("chat connection failed", integration_id=chat.id, error_code=error.code)
        async with self._database.tenant(tenant) as connection:
            await IntegrationRepository(connection, tenant).fail(
                chat.id, error.code, self._now(), self._new_id, run_id=notice.run_id
            )


def _language(chat: Integration) -> NoticeLanguage:
    chosen = chat.settings.get("language")
    known: tuple[NoticeLanguage, ...] = get_args(NoticeLanguage)
    return next((one for one in known if one == chosen), known[0])
