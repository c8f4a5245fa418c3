"""/app/tickets/new: the form in which a member enters a ticket."""

import hashlib
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import ReviewersPost
from api.gateway_answers import CallStartDep, EventCaller, answer_event
from api.resources import ResourcesDep
from api.schemas.intake.gateway import NoPlaybook, parse_request
from domain.core.errors import InvalidBody
from domain.reviews.escalation import OPEN_STATUSES
from domain.runs.run import RunStatus
from domain.tenants.actor import MANAGERS, REVIEWERS
from services.reviews.approvers import missing_approver
from store.identity.people import address_of
from store.intake.idempotency import IdempotencyKey
from store.runs.conversation_lists import ConversationLists
from store.runs.traces import RunTraces

_NEW: Final = "/app/tickets/new"
_TICKETS: Final = "/app/tickets"
_BLANK: Final = {"event_type": "", "message": "", "customer_email": "", "order_number": ""}
EVENT_TYPES: Final = ("shopify.ticket.created", "email.received", "zendesk.ticket.created")
"""Event types that a member can choose from: one for a shop, one for a mailbox and one for a
helpdesk. A new client's playbooks match all three."""

router = APIRouter(include_in_schema=False)


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(REVIEWERS))]) -> Response:
    """Return the form. A member whose ticket no teammate could approve is offered the simulator
    first."""
    user_id = page.visit.user.id
    async with page.resources.database.reading_across() as connection:
        own = await address_of(connection, user_id)
    async with page.resources.database.reading(page.tenant) as connection:
        missing = await missing_approver(
            connection, page.tenant, user_id, page.now, needs_two=False
        )
    typed = await page.typed(_TICKETS, {**_BLANK, "customer_email": own or ""})
    return page.render(
        "intake/ticket.html",
        typed=typed,
        form=_TICKETS,
        types=EVENT_TYPES,
        is_alone=missing is not None,
        may_invite=page.may(MANAGERS),
    )


@router.post(_TICKETS)
async def send(
    request: Request, start: CallStartDep, post: ReviewersPost, resources: ResourcesDep
) -> Response:
    """Process the entered ticket as an event, like a gateway request.

    The member is the event's author, and the customer's address remains unverified. The form's id
    is the idempotency key, so a second click returns the first click's result.
    """
    page = post.page
    fields = {name: post.text(name).strip() for name in _BLANK}
    if not fields["message"]:
        raise InvalidBody("champ « message »")
    given = {name: value for name, value in fields.items() if value}
    call = parse_request({"client_id": page.tenant, **given})
    key = IdempotencyKey(post.once, hashlib.sha256(repr(fields).encode()).digest())
    by = EventCaller(page.tenant, page.actor, start, request.state.request_id, vouches=False)
    answer = await answer_event(by, call.event(), key, resources)
    await post.forget()
    if isinstance(answer, NoPlaybook):
        return post.done("/app/playbooks", "intake.no_playbook", type=call.resolved_type)
    to = await _page_of_ticket(page, answer.run_id)
    said = f"intake.{answer.status}"
    is_answered = answer.status == RunStatus.COMPLETED
    return await post.step_done(to, said) if is_answered else post.done(to, said)


async def _page_of_ticket(page: Page, run_id: str) -> str:
    """Return the page that shows the ticket: its open review, else its conversation, else the
    agent's activity."""
    async with page.resources.database.reading(page.tenant) as connection:
        trace = await RunTraces(connection, page.tenant).read(run_id)
        conversation_id = await ConversationLists(connection, page.tenant).of_run(run_id)
    opened = next((one for one in trace.reviews if one.status in OPEN_STATUSES), None)
    if opened is not None:
        return f"/app/reviews/{opened.review_id}"
    if conversation_id is None or trace.status is RunStatus.FAILED:
        return f"/app/runs/{run_id}"
    return f"/app/conversations/{conversation_id}"
