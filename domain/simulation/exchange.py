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

    `event`: the normalized message. If `thread` asked for an order number, a bare number is treated
    as the answer. `event_type`: selects the playbook. `turns`: the thread's earlier messages.
    `summary`: the outcomes of the earlier messages. `lookup`: the result of the order lookup, or
    None if no order was looked up. `spent`: earlier refunds and actions. `made_up`: the shop of a
    made-up order, which is not one of the client's connections.

    `turns_left`: the number of answers that the agent may still give before a human must answer.
    `attachments`: the message's files. `run_id`: the id that a question to the customer refers to.
    `now`: the time of the message, or None for the current time. `steps`: the part of the effort
    budget that the message has used (`domain/core/effort.py`). `unread`: whether the message
    exceeds the effort budget, in which case human agents handle it.
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
