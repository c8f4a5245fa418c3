"""A run with every step: lookup, thought, review, actions."""

import json
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from pydantic import BaseModel

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import Alternative, Category, Citation
from domain.agent.guard_finding import FindingReason, GuardFinding
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome, StepState
from domain.agent.policy_decision import PolicyDecision, PolicyReason, Ruling
from domain.agent.thinking_result import Finding
from domain.core.contracts import RunRef
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.runs.run import Timings
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_runs
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.tenants.shop import Shop

CREDENTIAL = "shpat-canary-4f1d"
TEXT = "Je veux être remboursée [/bold] pour la commande 1042"
_EUROS = Money(minor=4900, currency="EUR")


@dataclass(frozen=True)
class TracedRun:
    ref: RunRef
    sealed: str


async def traced_run(database: Database, shop: Shop) -> TracedRun:
    """Return the run, and the sealed credentials of its shop."""
    ref = await write(database, shop, TEXT, now=utc_now() - timedelta(minutes=5))
    sealed = FernetSealer(new_seal_key()).seal(json.dumps({"access_token": CREDENTIAL}))
    integration = Integration(
        id=new_ulid(), provider=Provider.SHOPIFY, settings={"shop": "b.example"}, sealed=sealed
    )
    async with database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(
            integration, utc_now(), new_ulid
        )
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == ref.run_id).values(_run(integration))
        )
        for table, values in (
            (escalation_tickets, _review()),
            (action_ledger, _effect(integration)),
        ):
            await connection.execute(
                sa.insert(table).values(
                    client_id=shop.client_id, id=new_ulid(), run_id=ref.run_id, **values
                )
            )
    return TracedRun(ref, sealed)


def _run(integration: Integration) -> dict[str, object]:
    now = utc_now()
    order = Order(
        integration_id=integration.id,
        provider=integration.provider,
        id="gid://1042",
        number="1042",
        customer_email=CUSTOMER,
        state=OrderState.DELIVERED,
        total=_EUROS,
        refundable=_EUROS,
        placed_at=now - timedelta(days=3),
        items=("Lin",),
    )
    refund = PlannedAction(
        kind=ActionKind.REFUND,
        integration_id=integration.id,
        order_id=order.id,
        order_number=order.number,
        amount=_EUROS,
    )
    parts: dict[str, list[BaseModel]] = {
        "alternatives": [Alternative(category=Category.COMPLAINT, confidence=0.2)],
        "citations": [Citation(kind="order", id=order.id, title="1042")],
        "findings": [Finding(id="K1", title="Retours", rank=0.61)],
        "guard_findings": [GuardFinding(words="49 eur", reason=FindingReason.NO_SOURCE)],
        "verdicts": [
            PolicyDecision(
                kind=ActionKind.REFUND,
                ruling=Ruling.NEEDS_SECOND,
                reason=PolicyReason.ABOVE_PER_ACTION,
            )
        ],
        "plan": [refund, PlannedAction(kind=ActionKind.REPLY)],
        "steps": [
            StepOutcome(kind=ActionKind.REFUND, state=StepState.DONE),
            StepOutcome(kind=ActionKind.REPLY, state=StepState.DONE),
        ],
    }
    return {
        **{name: [one.model_dump(mode="json") for one in many] for name, many in parts.items()},
        "status": "completed",
        "lookup": Lookup(state=LookupState.FOUND, order=order).model_dump(mode="json"),
        "timings": Timings(normalize=1, lookup=20, brain=3, execute=40).model_dump(mode="json"),
        "classification": "refund_request",
        "confidence": 0.83,
        "language": "fr",
        "sentiment": -0.5,
        "draft": "Bonjour, c'est fait.",
        "response": "Bonjour Ann.",
        "hold": "policy_restriction",
        "handoff_reason": "policy_restriction",
        "model": "embedded",
        "tokens_in": 900,
        "tokens_out": 80,
        "cost_micros": 1234,
        "duration_ms": 120,
        "answered_at": now - timedelta(minutes=4),
        "finished_at": now,
    }


def _review() -> dict[str, object]:
    now = utc_now()
    return {
        "round": 0,
        "status": "edited",
        "reason": "policy_restriction",
        "draft": "Bonjour, c'est fait.",
        "needs_second": True,
        "first_approved_by": "user-1",
        "first_approved_at": now,
        "amount": 4900,
        "currency": "EUR",
        "decision": "edit",
        "decided_by": "user-2",
        "decided_at": now,
        "edited_text": "Bonjour Ann.",
        "expires_at": now + timedelta(hours=72),
        "created_at": now - timedelta(minutes=4),
        "taken_up_at": now,
    }


def _effect(integration: Integration) -> dict[str, object]:
    return {
        "step": 0,
        "round": 0,
        "action": "refund",
        "state": "done",
        "detail": "",
        "integration_id": integration.id,
        "order_key": "shopify/gid://1042",
        "amount": 4900,
        "currency": "EUR",
        "reference": "re_1",
        "planned_at": utc_now(),
        "finished_at": utc_now(),
    }
