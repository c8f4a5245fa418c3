"""Temporal payloads for anchoring the audit log."""

from datetime import date, datetime

from domain.core.contracts import Contract


class AnchorAuditInput(Contract):
    """`at`: fallback when the workflow is unscheduled; a time in the day to anchor."""

    at: datetime | None = None


class AnchorHeadsInput(Contract):
    """`day`: the day under which the anchors are stored."""

    day: date


class AnchorAuditResult(Contract):
    """`anchored`: the number of heads that this run has anchored. `anchors`: the number of all
    anchors of the day. `digest`: the digest of all these anchors, which Temporal and the log keep
    outside the database."""

    day: date
    anchored: int
    anchors: int
    digest: str
