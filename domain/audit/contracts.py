"""Temporal payloads for recording audit checkpoints."""

from datetime import date, datetime

from domain.core.contracts import Contract


class AnchorAuditInput(Contract):
    """The input of the workflow that records a UTC day's audit checkpoints. Without `at`, the day
    is today. A scheduled run ignores `at`."""

    at: datetime | None = None


class AnchorHeadsInput(Contract):
    """The input of the activity that records a checkpoint of each chain. `day` is the checkpoints'
    UTC day."""

    day: date


class AnchorAuditResult(Contract):
    """The outcome of recording a day's audit checkpoints. `anchored` counts the checkpoints of this
    run, and `anchors` all checkpoints of the day. The `digest` of all of them is also kept outside
    the database, by Temporal and in the log."""

    day: date
    anchored: int
    anchors: int
    digest: str
