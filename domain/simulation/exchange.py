"""One message to simulate, with the state of its conversation."""

from dataclasses import dataclass, field
from datetime import datetime

from domain.agent.attachment_preview import AttachmentPreview
from domain.agent.brain import Turn
from domain.agent.policy_context import Connection, Spent
from domain.agent.thread import Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup


@dataclass(frozen=True, slots=True)
class SimulatedExchange:
    """One message to simulate, with its context.

    - `event`: the normalized message. If `thread` asked for an order number, a bare number is the
      answer.
    - `event_type`: selects the playbook.
    - `turns`, `summary`: the thread's earlier messages and their outcomes.
    - `lookup`: the result of the order lookup, or None without a lookup.
    - `spent`: earlier refunds and actions.
    - `made_up`: the shop of a made-up order, which is not a connection.
    - `turns_left`: the answers left before a human must answer.
    - `run_id`: the id that a question to the customer refers to.
    - `now`: the time of the message, or None for the current time.
    - `steps`: the part of the effort budget already used (`domain/core/effort.py`).
    - `unread`: the message exceeds the effort budget, so humans handle it.
    """

    event: UnifiedEvent
    event_type: str
    turns: tuple[Turn, ...] = ()
    thread: Thread = field(default_factory=Thread)
    summary: str = ""
    lookup: Lookup | None = None
    spent: Spent = field(default_factory=Spent)
    made_up: Connection | None = None
    turns_left: int = 1
    attachments: tuple[AttachmentPreview, ...] = ()
    run_id: str = ""
    now: datetime | None = None
    steps: int = 0
    unread: bool = False
