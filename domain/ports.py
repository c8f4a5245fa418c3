"""What rules and activities need from outside, as they would say it; `adapters/` provides it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from domain.contracts import ProcessEventInput, RunRef
from domain.delivery import Attempt, DeliveryStatus
from domain.embedding import Embedding
from domain.error_report import ErrorReport
from domain.integration import Integration
from domain.money import Money
from domain.order import Order

Clock = Callable[[], datetime]
"""Aware UTC now."""

NewId = Callable[[], str]
"""A fresh ULID, upper case."""


class OutgoingMail(BaseModel):
    """A mail of ours. `message_id` stays the same however often it is tried. `auto_submitted`: what
    RFC 3834 calls it, a reply to somebody's mail or one of our own accord."""

    model_config = ConfigDict(frozen=True)

    message_id: str
    to: str
    from_name: str
    subject: str
    text: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    auto_submitted: Literal["auto-replied", "auto-generated"] = "auto-replied"


class Mailer(Protocol):
    async def send(self, mail: OutgoingMail) -> None:
        """Hand one mail over. Raises MailRefused, MailUnreachable (not sent), MailUnknown."""


class Shop(Protocol):
    """A merchant's shop or payment provider: it knows orders and gives money back.

    Effects raise ActionRefused (NotAuthorized), ActionUnreachable (surely not done) and
    ActionUnknown. `key` is the effect's own, the same however often it is tried, and goes to the
    other side where that deduplicates. `again`: it was begun before and nobody knows what came of
    it; then the other side is asked first, and the effect repeated only if that is safe.
    """

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """The order with that number, or without one the latest of that customer.

        Whose it is must still be checked. Raises ActionRefused, ActionUnreachable.
        """

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Give `amount` of the order back once. Returns the other side's id of the refund."""

    async def cancel(self, order: Order, key: str, *, again: bool) -> str:
        """Cancel the order once, with its payment given back. Returns the other side's id."""


class HelpdeskTicket(BaseModel):
    """Where in a helpdesk something is said. `customer_email` is who reads public answers."""

    model_config = ConfigDict(frozen=True)

    id: str
    customer_email: str | None = None
    subject: str | None = None


class Helpdesk(Protocol):
    """A merchant's helpdesk. Effects raise, and `key` and `again` mean, what they do for a Shop."""

    async def reply(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Answer the customer in the ticket. Returns the message's id."""

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Leave a note that only staff can read. Returns its id."""

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags; those that are there already change nothing."""


class Connectors(Protocol):
    """The other ends of a client's integrations. Both raise ActionRefused for a provider that is
    no such thing, NotAuthorized for credentials that cannot be read."""

    def shop(self, integration: Integration) -> Shop: ...

    def helpdesk(self, integration: Integration) -> Helpdesk: ...


class Embedder(Protocol):
    """Whoever turns texts into embeddings."""

    @property
    def model(self) -> str:
        """What the embeddings are of: only those of one model can be compared."""

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        """One embedding a text, in their order. Raises EmbeddingUnavailable."""

    async def near(self, text: str) -> Embedding | None:
        """That of a question. None if there is none in time: then it is found by words alone."""


class Sealer(Protocol):
    """Encryption for what must cross Temporal unread."""

    def seal(self, text: str) -> str: ...

    def unseal(self, sealed: str) -> str:
        """Raises ValueError if the text was not sealed with our key."""


class Engine(Protocol):
    """Starting and waking runs, for whoever finds one left behind."""

    async def start(self, event: ProcessEventInput) -> bool:
        """Start a run's workflow; False if it is running already."""

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        """Tell a parked run to look for its decision; False if it no longer runs."""

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        """Have deliveries sent that no run sends; those under way are left alone. Raises
        EngineUnavailable."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a workflow: an id may have had several."""

    workflow_id: str
    run_id: str


class Executions(Protocol):
    """What a workflow server remembers, for whoever must make it forget. Each raises
    EngineUnavailable. A server lists what has begun, and drops what was deleted, a little late."""

    async def starting_with(self, prefix: str, *, ended: bool = False) -> list[Execution]:
        """Some of the executions whose workflow's id begins so; `ended`: not those under way."""

    async def of(self, workflow_ids: Sequence[str]) -> list[Execution]:
        """Executions of these workflows."""

    async def delete(self, executions: Sequence[Execution]) -> int:
        """Delete these with their histories, and end those under way; how many there were."""


class WebhookSender(Protocol):
    """The way to merchants' URLs."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, client_id: str
    ) -> Attempt:
        """One POST, 10 s over everything. Never raises for what the other side does, or for what
        its URL is by now; EngineUnavailable if this machine has no connection to spare.
        `client_id`: whose it is, so that one client's names that hang do not take the threads of
        another's look-ups."""


class WatchDeliveries(Protocol):
    """Whoever counts what became of deliveries."""

    def tried(self, status: DeliveryStatus, attempt: Attempt | None) -> None:
        """A try ended, a repeated one too; `pending`: there will be another. `attempt` None:
        nothing was sent."""


class ErrorTracker(Protocol):
    """Where operators hear of errors on our side."""

    def report(self, report: ErrorReport) -> None:
        """Take a report over. Never raises and never waits: one too many is dropped and counted.

        Called on the event loop's thread.
        """
