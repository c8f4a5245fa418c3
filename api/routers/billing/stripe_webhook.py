"""POST /api/payments/stripe/webhook: receives payment events from Stripe."""

from typing import Final

import structlog
from fastapi import APIRouter, Request
from starlette.responses import Response

from adapters.payments.stripe_events import read_event, signed_lately, verify
from api.http.client_address import limited_address
from api.http.json_body import json_response, read_body
from api.received_route import described_receiver
from api.resources import Resources, ResourcesDep
from domain.billing.errors import InvalidPaymentSignature, PaymentsUnavailable
from domain.billing.payment import EventState, PaymentEvent
from domain.core.error_report import ErrorReport
from services.billing.payments import Taken, take_event

router = APIRouter()

_PATH: Final = "/api/payments/stripe/webhook"
_log = structlog.get_logger(__name__)


@router.post(
    _PATH,
    operation_id="payments.receive_stripe",
    summary="Receive a payment event from Stripe",
    tags=["payments"],
    **described_receiver((409, 415)),
)
async def stripe_webhook(request: Request, resources: ResourcesDep) -> Response:
    """Process an event from Stripe. Return 200 once the event is stored. After any other status,
    Stripe retries for three days."""
    secret, payments = resources.settings.payments.stripe_webhook_secret, resources.payments
    if secret is None or payments is None:
        raise PaymentsUnavailable
    headers = request.headers.getlist("stripe-signature")
    if len(headers) != 1:
        raise InvalidPaymentSignature
    # The timestamp in the signature header is checked before the body is read, so that a sender
    # with an invalid timestamp never sends the body.
    signed_lately(headers[0], resources.now())
    request.state.caller = f"stripe@{limited_address(request)}"
    body = await read_body(request)
    verify(body, headers[0], secret.get_secret_value(), resources.now())
    event = read_event(body)
    if event is not None:
        taken = await take_event(resources.work, event, payments)
        if taken.settlement.state is EventState.PEOPLE and not taken.again:
            _report(event, taken, resources)
    return json_response({"received": True})


def _report(event: PaymentEvent, taken: Taken, resources: Resources) -> None:
    """Log a payment that needs manual review, and report it to the error tracker."""
    problem = taken.settlement.problem or ""
    _log.error(
        "payment needs manual review",
        payment_event=event.id,
        problem=problem,
        client_id=taken.client_id,
    )
    resources.tracker.report(
        ErrorReport(
            place=f"POST {_PATH}",
            code=f"payment_{problem}",
            created_at=resources.now(),
            client_id=taken.client_id,
        )
    )
