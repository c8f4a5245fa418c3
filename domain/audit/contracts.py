"""What crosses Temporal for the anchors of the audit log."""

from datetime import date, datetime

from domain.core.contracts import Contract


class AnchorAuditInput(Contract):
    """`at`: a moment of the day that is anchored, when no schedule gives it."""

    at: datetime | None = None


class AnchorHeadsInput(Contract):
    """`day`: which the anchors are kept under."""

    day: date


class AnchorAuditResult(Contract):
    """`anchored`: how many heads this run has anchored. `digest`: of all anchors of the day, which
    are `anchors`: Temporal keeps it beside the log, and neither is in the database."""

    day: date
    anchored: int
    anchors: int
    digest: str
