"""Temporal contracts of the audit log's anchors."""

from datetime import date, datetime

from domain.core.contracts import Contract


class AnchorAuditInput(Contract):
    """`at`: a moment of the day to anchor, if no schedule gives it."""

    at: datetime | None = None


class AnchorHeadsInput(Contract):
    """`day`: the day that the anchors are stored under."""

    day: date


class AnchorAuditResult(Contract):
    """`anchored`: the heads that this run has anchored. `anchors`: all anchors of the day.
    `digest`: the digest of these; Temporal and the log keep it, outside the database."""

    day: date
    anchored: int
    anchors: int
    digest: str
