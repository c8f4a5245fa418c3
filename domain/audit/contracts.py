"""Temporal payloads for recording audit checkpoints."""

from datetime import date, datetime

from domain.core.contracts import Contract


class AnchorAuditInput(Contract):
    """The input of the workflow that records audit checkpoints. `at`: a time on the checkpoints'
    UTC day, or None for the current time. A workflow started by its schedule ignores `at`."""

    at: datetime | None = None


class AnchorHeadsInput(Contract):
    """The input of the activity that records a checkpoint of each chain. `day`: the checkpoints'
    UTC day."""

    day: date


class AnchorAuditResult(Contract):
    """The outcome of recording a day's audit checkpoints. `anchored`: the number of checkpoints
    that this run recorded. `anchors`: the total number of the day's checkpoints. `digest`: the
    digest of all the day's checkpoints. Temporal and the service's log keep this digest outside the
    database."""

    day: date
    anchored: int
    anchors: int
    digest: str
