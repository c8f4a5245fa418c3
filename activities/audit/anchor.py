"""Checkpoints (anchors) of the audit chains. A person who truncates a chain cannot change its
checkpoints, because they are stored in a different location."""

from datetime import date

import structlog
from temporalio import activity

from domain.audit.chain import AnchorDigest
from domain.audit.contracts import AnchorAuditResult, AnchorHeadsInput
from domain.core import names
from services.audit.anchors import ANCHORS_AT_ONCE, anchors_of_day
from store.audit.chains import ChainRepository
from store.core.database import Database

_log = structlog.get_logger(__name__)


class AnchorHeads:
    """The activity that writes checkpoints of audit chains. `at_once` is the number of checkpoints
    written or read in one transaction."""

    def __init__(self, database: Database, *, at_once: int = ANCHORS_AT_ONCE) -> None:
        self._database = database
        self._at_once = at_once

    @activity.defn(name=names.ANCHOR_HEADS)
    async def anchor(self, step: AnchorHeadsInput) -> AnchorAuditResult:
        """Write a checkpoint for each audit chain with new entries, then log a digest of the day's
        checkpoints.

        Idempotency key: the client and the position in its chain. A retry writes the remaining
        checkpoints and repeats the log line, which is therefore never missing.
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
        digest = AnchorDigest()
        async for page in anchors_of_day(self._database, day, at_once=self._at_once):
            digest.add(page)
            activity.heartbeat()
        return digest
