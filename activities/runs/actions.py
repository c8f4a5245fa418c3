"""The handlers of the action kinds. Each handler produces an effect on an external system."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Final, Protocol, assert_never, runtime_checkable

from activities.integrations.client_mail import ClientMail
from activities.runs.message_language import message_language
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.attached_file import AttachedFile
from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from domain.integrations.errors import (
    ActionRefused,
    ActionsBusy,
    ActionUnknown,
    ActionUnreachable,
    MailUnknown,
)
from domain.integrations.integration import Integration
from domain.integrations.mail_allowance import MailGroup
from domain.integrations.order import Order
from domain.integrations.ports import Connectors, Helpdesk, HelpdeskTicket
from domain.integrations.providers import PROVIDERS
from domain.runs.mail_reply import reply_to
from services.core.concurrent_callers import ConcurrentCallers
from store.runs.cases import Case

_LOOK_S: Final = 3.0
ACTIONS_AT_ONCE: Final = 6
"""Maximum number of one client's concurrent actions in its shops and helpdesks. Slow shops of one
client therefore occupy only a small part of the worker's concurrency, which all clients share."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a run, with its handler's data.

    - `key`: the effect's idempotency key, the same in every attempt and round.
    - `again`: an earlier start has an unknown outcome.
    - `interrupted`: that start was in this round, so no human has approved a repetition.
    - `files`: the attachments of a member's reply.
    """

    tenant: TenantId
    run_id: str
    action: PlannedAction
    case: Case
    integration: Integration | None
    order: Order | None
    key: str
    again: bool = False
    interrupted: bool = False
    files: tuple[AttachedFile, ...] = ()


@runtime_checkable
class CancelsOrders(Protocol):
    """A shop that can cancel an order. The errors, `key` and `again` are the same as in `Shop`."""

    async def cancel(self, order: Order, key: str, *, again: bool) -> str:
        """Cancel the order once, and refund its payment. Return the cancellation's id at the
        provider."""


class Actions:
    """The handlers, one for each kind of action. mypy rejects a kind without a handler."""

    def __init__(self, mail: ClientMail, connectors: Connectors) -> None:
        self._mail = mail
        self._connectors = connectors
        self._callers: ConcurrentCallers[TenantId] = ConcurrentCallers(at_most=ACTIONS_AT_ONCE)

    @contextmanager
    def room(self, tenant: TenantId, integration: Integration | None) -> Iterator[None]:
        """Count an action toward the client's limit while the block runs. Raises ActionsBusy. An
        email is not counted, because it has its own connection slots."""
        with ExitStack() as stack:
            if integration is not None:
                try:
                    stack.enter_context(self._callers.join(tenant))
                except CallerBusy:
                    raise ActionsBusy from None
            yield

    async def perform(self, step: Step) -> str:
        """Perform one action. Return the external system's id of the effect, or "".

        Raises ActionRefused (no effect), ActionUnreachable (certainly no effect yet) and
        ActionUnknown.
        """
        handler: Callable[[Step], Awaitable[str]]
        match step.action.kind:
            case ActionKind.REPLY:
                handler = self._reply
            case ActionKind.REPLY_BY_EMAIL:
                handler = self._reply_by_email
            case ActionKind.REPLY_IN_HELPDESK:
                handler = self._reply_in_helpdesk
            case ActionKind.NOTE:
                handler = self._note
            case ActionKind.TAG:
                handler = self._tag
            case ActionKind.REFUND:
                handler = self._refund
            case ActionKind.CANCEL_ORDER:
                handler = self._cancel_order
            case _:
                assert_never(step.action.kind)
        return await handler(step)

    async def perform_known(self, step: Step) -> str:
        """Perform one action like `perform`. If the outcome is unknown, try once more with `again`
        set."""
        try:
            return await self.perform(step)
        except ActionUnknown:
            if step.again or step.integration is None:
                raise
            if PROVIDERS[step.integration.provider].slow_to_show:
                raise
        try:
            return await self.perform(replace(step, again=True))
        except ActionUnreachable as error:
            raise ActionUnknown from error  # The first attempt may have had an effect.
        except ActionRefused as error:
            if error.sent:
                raise
            raise ActionUnknown from error  # The first attempt may have succeeded.

    async def order_of(
        self, action: PlannedAction, integration: Integration, case: Case
    ) -> Order | None:
        """Return the current state of the action's order, or None if the shop has no such order.
        Raises ActionRefused, ActionUnreachable."""
        shop = self._connectors.shop(integration)
        try:
            async with asyncio.timeout(_LOOK_S):
                return await shop.find_order(action.order_number, case.event.customer_email)
        except TimeoutError as error:
            raise ActionUnreachable("the shop did not answer") from error

    async def _reply(self, _: Step) -> str:
        return ""  # The gateway returns the answer to the caller.

    async def _reply_by_email(self, step: Step) -> str:
        if step.interrupted:
            # A mail server cannot be queried for the outcome of an earlier attempt.
            raise MailUnknown
        event = step.case.event
        mail = reply_to(
            event,
            step.case.delivered,
            from_name=step.case.sender_name,
            key=step.key,
            language=message_language(event.words),
            files=step.files,
        )
        group = MailGroup.ANSWERS if event.may_act else MailGroup.CLAIMS
        return await self._mail.send(step.tenant, mail, group, answer_of=step.run_id)

    async def _reply_in_helpdesk(self, step: Step) -> str:
        return await self._helpdesk(step).reply(
            _ticket(step),
            step.case.delivered,
            step.key,
            again=step.again,
            bare=step.case.words,
            files=step.files,
        )

    async def _note(self, step: Step) -> str:
        return await self._helpdesk(step).note(
            _ticket(step), step.action.text or step.case.words, step.key, again=step.again
        )

    async def _tag(self, step: Step) -> str:
        await self._helpdesk(step).tag(_ticket(step), step.action.tags)
        return ""

    async def _refund(self, step: Step) -> str:
        if step.integration is None or step.order is None or step.action.amount is None:
            raise ActionRefused("a refund needs an order that was looked up", sent=False)
        return await self._connectors.shop(step.integration).refund(
            step.order, step.action.amount, step.key, again=step.again
        )

    async def _cancel_order(self, step: Step) -> str:
        if step.integration is None or step.order is None:
            raise ActionRefused("a cancellation needs an order that was looked up", sent=False)
        shop = self._connectors.shop(step.integration)
        if not isinstance(shop, CancelsOrders):
            raise ActionRefused("the shop cancels no orders", sent=False)
        return await shop.cancel(step.order, step.key, again=step.again)

    def _helpdesk(self, step: Step) -> Helpdesk:
        if step.integration is None:
            raise ActionRefused("no helpdesk is connected", sent=False)
        return self._connectors.helpdesk(step.integration)


def _ticket(step: Step) -> HelpdeskTicket:
    if not step.action.ticket_id:
        raise ActionRefused("no ticket to speak in", sent=False)
    event = step.case.event
    # If the platform opened the ticket from a form, its requester is the form and not the customer.
    # In that case, the customer's address is not compared with the requester's address.
    is_claimed = event.is_vouched and not event.ticket_by_platform
    return HelpdeskTicket(
        id=step.action.ticket_id,
        customer_email=event.customer_email,
        requester_email=event.customer_email if is_claimed else None,
        subject=event.subject,
    )
