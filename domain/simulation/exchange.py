"""The exchange: one message to simulate, with what its conversation has come to so far."""

from dataclasses import dataclass, field
from datetime import datetime

from domain.agent.brain import Turn
from domain.agent.shown_file import ShownFile
from domain.agent.situation import Connection, Spent
from domain.agent.thread import Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup


@dataclass(frozen=True, slots=True)
class SimulatedExchange:
    """`event`: normalized, and a bare number in it read as an answer where `thread` asked for one.
    `event_type`: by which a playbook is chosen. `turns`: of the thread before the message.
    `summary`: what came of earlier messages. `lookup`: None where no order was looked up. `spent`:
    what was given back before.

    `made_up`: the shop of a made-up order, which is no connection of the client. `turns_left`: how
    many answers the agent may still give before people do. `attachments`: the files that came with
    the message. `run_id`: under which a question to the customer is asked. `now`: the moment of the
    message; None for the present. `steps`: what the message has cost of its budget so far
    (`domain/core/effort.py`). `unread`: it costs too much to read, and people do.
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
    attachments: tuple[ShownFile, ...] = ()
    run_id: str = ""
    now: datetime | None = None
    steps: int = 0
    unread: bool = False
