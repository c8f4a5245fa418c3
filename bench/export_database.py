"""Tenants to export, with a given number of conversations and rows in every section of an export.

The rows look as if the service had written them over 400 days. Foreign keys are not checked on
insert, as in a restore from a backup.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb
from pydantic import BaseModel, JsonValue

from adapters.system import new_ulid
from bench.export_rows import FILL, FILL_CONVERSATIONS, SETTINGS, SWEPT
from bench.load import LoadShop
from domain.agent.brain import Alternative, Category, Citation
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome, StepState
from domain.agent.policy_decision import PolicyDecision, Ruling
from domain.agent.thinking_result import Finding
from domain.analytics.churn import History, predict
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.runs.run import Timings
from domain.tenants.api_key import key_material, key_value

DAYS: Final = 400
KEYS: Final = 64
"""Number of keys per tenant. Each key allows five exports a minute, so the benchmark reaches no
limit and does not need to disable limits."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A tenant with a given number of conversations, and the keys for exporting it."""

    client_id: str
    conversations: int
    keys: tuple[str, ...]


def fill_for_export(
    owner_url: str, shops: Mapping[int, LoadShop], *, now: datetime
) -> tuple[Exported, ...]:
    """Give each shop the given number of conversations with all related rows. The shops must be
    new: they have playbooks, but no events."""
    made = tuple(
        Exported(shop.client_id, number, tuple(_key() for _ in range(KEYS)))
        for number, shop in shops.items()
    )
    values = {
        "now": now,
        "days": DAYS,
        "clients": [one.client_id for one in made],
        "sizes": [one.conversations for one in made],
        **_examples(now),
    }
    with psycopg.connect(owner_url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(SETTINGS)
        for one in made:
            _add_keys(owner, one, now)
        for statement in FILL:
            owner.execute(sql.SQL(statement), values)
        for table in SWEPT:
            owner.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))
        owner.execute("CHECKPOINT")
    return made


def fill_conversations(owner_url: str, sizes: tuple[int, ...], *, now: datetime) -> tuple[str, ...]:
    """Create one client for each size, with that number of conversations and no messages. Return
    the clients' ids."""
    made = tuple(new_ulid() for _ in sizes)
    values = {"now": now, "clients": list(made), "sizes": list(sizes), "user": new_ulid()}
    with psycopg.connect(owner_url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(SETTINGS)
        for statement in FILL_CONVERSATIONS:
            owner.execute(sql.SQL(statement), values)
        owner.execute("VACUUM (ANALYZE) ai_conversations")
        owner.execute("CHECKPOINT")
    return made


def _key() -> str:
    return key_value(secrets.token_bytes(16))


def _add_keys(
    owner: "psycopg.Connection[tuple[object, ...]]", one: Exported, now: datetime
) -> None:
    for key in one.keys:
        material = key_material(key)
        assert material is not None  # noqa: S101 - the key is well-formed
        owner.execute(
            "INSERT INTO api_keys (client_id, id, digest, prefix, label, created_at) "
            "VALUES (%s, %s, %s, %s, 'export', %s)",
            (one.client_id, new_ulid(), material.digest, material.prefix, now),
        )


def _examples(now: datetime) -> dict[str, object]:
    """Return the JSON values for a run and its event. Only the parts filled in by SQL vary."""
    integration = new_ulid()
    order = Order(
        integration_id=integration,
        provider=Provider.SHOPIFY,
        id="5512874312",
        number="1042",
        customer_email=None,
        state=OrderState.SHIPPED,
        total=Money(minor=7_490, currency="EUR"),
        refundable=Money(minor=7_490, currency="EUR"),
        placed_at=datetime(2026, 1, 1, tzinfo=UTC),
        items=("Eau de parfum Lavande, 50 ml",),
    )
    churn = predict(History(first_contact=now, last_contact=now, contact_days=1), now)
    return {
        "unified": _json(UnifiedEvent(channel=Channel.EMAIL, platform="shopify")),
        "alternatives": _json(Alternative(category=Category.SHIPPING_ISSUE, confidence=0.06)),
        "plan": _json(PlannedAction(kind=ActionKind.REPLY_BY_EMAIL)),
        "steps": _json(StepOutcome(kind=ActionKind.REPLY_BY_EMAIL, state=StepState.DONE)),
        "citations": _json(Citation(kind="order", id=order.id, title=order.number)),
        "verdicts": _json(PolicyDecision(kind=ActionKind.REPLY_BY_EMAIL, ruling=Ruling.ALLOWED)),
        "findings": _json(Finding(id=new_ulid(), title="Délais de livraison", rank=0.31)),
        "lookup": _json(Lookup(state=LookupState.FOUND, order=order)),
        "timings": _json(Timings(normalize=1.2, lookup=4.5, brain=31.4, execute=6.1)),
        "score": churn.score,
        "level": churn.level.value,
        "factors": Jsonb([_dumped(factor) for factor in churn.factors]),
    }


def _json(model: BaseModel) -> Jsonb:
    return Jsonb(_dumped(model))


def _dumped(model: BaseModel) -> JsonValue:
    value: JsonValue = model.model_dump(mode="json")
    return value
