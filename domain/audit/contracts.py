"""Temporal payloads for anchoring the audit log."""

from datetime import date, datetime

from domain.core.contracts import Contract


class AnchorAuditInput(Contract):
    """The input of the workflow that anchors the audit log. `at`: a time on the day to anchor. Used
    only if the workflow was not started by its schedule. None means the current time."""

    at: datetime | None = None


class AnchorHeadsInput(Contract):
    """The input of the activity that anchors the chains. `day`: the UTC day under which the anchors
    are stored."""

    day: date


class AnchorAuditResult(Contract):
    """The result of anchoring a day. `anchored`: the number of chain heads that this run anchored.
    `anchors`: the total number of the day's anchors. `digest`: the digest of all the day's anchors.
    Temporal and the service's log keep this digest outside the database."""

    day: date
    anchored: int
    anchors: int
    digest: str
