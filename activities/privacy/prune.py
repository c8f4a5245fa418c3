"""The activity that deletes records that are past the retention period of their kind."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ports import Clock
from domain.privacy.contracts import HousekeepingInput, PruneResult
from store.cases.case_runs import prune_case_runs
from store.core.database import Database
from store.core.tables import error_reports
from store.dashboard.tables import form_posts
from store.identity.tables import address_codes, invitations, sessions, sign_in_codes
from store.inbound.tables import inbound_messages, inbound_refusals
from store.intake.tables import idempotency_keys
from store.integrations.tables import mail_counts
from store.privacy.prune import (
    empty_bodies,
    forget_ended_accounts,
    forget_erased_customers,
    prune_ended_endpoints,
    prune_inbound_webhooks,
    prune_older,
    prune_order_facts,
    prune_page_drafts,
    prune_pauses,
    prune_sign_in_links,
    prune_widget_sessions,
)
from store.reviews.tables import member_mails, member_notices
from store.simulation.tables import replays
from store.webhooks.tables import webhook_misses
from store.widget.tables import widget_codes

_log = structlog.get_logger(__name__)

_Batch = Callable[[AsyncConnection, datetime], Awaitable[int]]


class Prune:
    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    @activity.defn(name=names.PRUNE)
    async def prune(self, step: HousekeepingInput) -> PruneResult:
        """Delete records that are past the retention period of their kind.

        A repetition deletes the remaining records. A failed kind is logged and does not stop the
        others. The last error is raised at the end.
        """
        kinds: tuple[tuple[str, float, tuple[_Batch, ...]], ...] = (
            ("idempotency keys", step.idempotency_s, (partial(prune_older, idempotency_keys),)),
            ("error reports", step.error_reports_s, (partial(prune_older, error_reports),)),
            (
                "inbound webhooks",
                step.inbound_webhooks_s,
                (
                    prune_inbound_webhooks,
                    prune_pauses,
                    partial(prune_older, inbound_messages),
                    partial(prune_older, inbound_refusals),
                ),
            ),
            ("sign-in codes", step.sign_in_codes_s, (partial(prune_older, sign_in_codes),)),
            ("mail counts", step.mail_counts_s, (partial(prune_older, mail_counts),)),
            ("invitations", step.invitations_s, (partial(prune_older, invitations),)),
            ("widget codes", step.widget_codes_s, (partial(prune_older, widget_codes),)),
            ("address codes", step.address_codes_s, (partial(prune_older, address_codes),)),
            ("widget sessions", step.widget_sessions_s, (prune_widget_sessions,)),
            ("order facts", step.order_facts_s, (prune_order_facts,)),
            (
                "ended connections",
                step.ended_connections_s,
                (prune_ended_endpoints, forget_ended_accounts),
            ),
            ("erased customers", step.erased_customers_s, (forget_erased_customers,)),
            ("replays", step.replays_s, (partial(prune_older, replays),)),
            ("form posts", step.form_posts_s, (partial(prune_older, form_posts),)),
            ("page drafts", step.page_drafts_s, (prune_page_drafts,)),
            ("sign-in links", step.sign_in_links_s, (prune_sign_in_links,)),
            (
                "emails to members",
                step.member_mails_s,
                (partial(prune_older, member_notices), partial(prune_older, member_mails)),
            ),
            ("sessions", step.sessions_s, (partial(prune_older, sessions),)),
            ("runs over cases", step.case_verdicts_s, (prune_case_runs,)),
            # Webhook bodies are deleted last, so that every missed event that is still listed can
            # be replayed.
            ("webhooks", step.webhooks_s, (partial(prune_older, webhook_misses), empty_bodies)),
        )
        now, pruned = self._now(), 0
        failed: Exception | None = None
        for kind, age, batches in kinds:
            try:
                for batch in batches:
                    pruned += await self._all(batch, now - timedelta(seconds=age))
            except (EngineUnavailable, SQLAlchemyError) as error:
                await self._database.ping()  # `ping` raises an error if the database is down.
                _log.error("failed to prune records", kind=kind, error=type(error).__name__)
                failed = error
        if failed is not None:
            raise failed
        return PruneResult(pruned=pruned)

    async def _all(self, prune_batch: _Batch, before: datetime) -> int:
        pruned = 0
        while True:
            async with self._database.service() as connection:
                batch = await prune_batch(connection, before)
            pruned += batch
            activity.heartbeat()
            if not batch:
                return pruned
