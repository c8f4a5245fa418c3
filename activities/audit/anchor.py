"""Anchor: where the chains of the audit log stand, written where a cut tail cannot reach."""

from datetime import date
from typing import Final

import structlog
from temporalio import activity

from domain.audit.chain import AnchorDigest
from domain.audit.contracts import AnchorAuditResult, AnchorHeadsInput
from domain.core import names
from store.audit.chains import ChainRepository
from store.core.database import Database

_AT_ONCE: Final = 1_000

_log = structlog.get_logger(__name__)


class AnchorHeads:
    """`at_once`: how many anchors a transaction writes or reads."""

    def __init__(self, database: Database, *, at_once: int = _AT_ONCE) -> None:
        self._database = database
        self._at_once = at_once

    @activity.defn(name=names.ANCHOR_HEADS)
    async def anchor(self, step: AnchorHeadsInput) -> AnchorAuditResult:
        """Anchor the heads that have moved, then tell the log the digest of all anchors of the day.

        Idempotency key: (client, place). A retry anchors those that are left, and tells the log
        again: its line is never missing, and may come twice.
        """
        anchored, after = 0, ""
        while True:
            async with self._database.service() as connection:
                chains = ChainRepository(connection)
                last, number = await chains.anchor_some(step.day, after=after, limit=self._at_once)
            activity.heartbeat()
            if last is None:
                break
            anchored, after = anchored + number, last
        digest = await self._digest(step.day)
        _log.info(
            "audit log anchored",
            day=step.day.isoformat(),
            anchored=anchored,
            anchors=digest.number,
            digest=digest.text,
        )
        return AnchorAuditResult(
            day=step.day, anchored=anchored, anchors=digest.number, digest=digest.text
        )

    async def _digest(self, day: date) -> AnchorDigest:
        digest, after = AnchorDigest(), ("", 0)
        while True:
            async with self._database.reading_across() as connection:
                page = await ChainRepository(connection).anchors_of(
                    day, after=after, limit=self._at_once
                )
            activity.heartbeat()
            if not page:
                return digest
            digest.add(page)
            after = (page[-1].client_id, page[-1].seq)
