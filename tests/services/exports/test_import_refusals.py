"""Rejected imports: complete rejection, and nothing from the file is stored."""

import json
from collections.abc import Callable

import pytest

from domain.exports.errors import InvalidExport
from store.core.database import Database
from tests.support.exports.exported import Document, bring, empty_client, exported, row_count
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.shop import Shop


def twice(section: str) -> Callable[[Document], object]:
    return lambda one: one[section].append(one[section][0])


def without(section: str) -> Callable[[Document], object]:
    return lambda one: one[section].clear()


REFUSED: dict[str, tuple[Callable[[Document], object], str]] = {
    "an id twice": (twice("engine_runs"), "engine_runs: .*pk_engine_events"),
    "no settings": (without("settings"), "settings: one record"),
    "two clients": (twice("client"), "settings: one record"),
    "two settings": (twice("settings"), "settings: one record"),
    "a conversation's event is missing": (without("engine_runs"), "escalation_tickets: .*fk_"),
    "an unknown field": (
        lambda one: one["engine_runs"][0].update(sealed="x"), "engine_runs, record 1: sealed",
    ),
    "a field less": (
        lambda one: one["sentiment_logs"][0].pop("score"), "sentiment_logs, record 1: score",
    ),
    "a wrong type": (
        lambda one: one["engine_runs"][0].update(tokens_in="5"), "engine_runs, record 1: tokens_in",
    ),
    "too large": (
        lambda one: one["engine_runs"][0].update(tokens_in=2**31), "record 1: tokens_in",
    ),
    "a playbook without its version": (
        lambda one: one["settings"][0]["playbooks"][0].update(version=9), "settings, record 1",
    ),
    "a name that would end a header": (
        lambda one: one["settings"][0].update(branding={"display_name": "a\nBcc: b"}),
        "settings, record 1: branding",
    ),
    "an address that would end an attribute": (
        lambda one: one["settings"][0].update(branding={"logo_url": 'https://a/">'}),
        "settings, record 1: .*logo_url",
    ),
    "a character that cannot be stored": (
        lambda one: one["knowledge_entries"][0].update(body="a\0b"), "knowledge_entries, record 1",
    ),
    "what only PostgreSQL knows": (
        lambda one: one["automation_events"][0].update(payload={"a": float("nan")}),
        "automation_events: .*cannot be stored",
    ),
}  # fmt: skip


async def test_what_is_wrong_is_refused_whole(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    """The error message does not quote the invalid content."""
    await fill_every_table(database, shop)
    text = await exported(database, shop.client_id)
    tenant = await empty_client(elsewhere)
    for name, (spoil, told) in REFUSED.items():
        one = json.loads(text)
        spoil(one)
        with pytest.raises(InvalidExport, match=told):
            await bring(elsewhere, tenant, json.dumps(one))
        assert await row_count(elsewhere, tenant) == 0, name
    for cut in range(2, len(text), len(text) // 40):
        with pytest.raises(InvalidExport, match="cut off"):
            await bring(elsewhere, tenant, text[:-cut])
        assert await row_count(elsewhere, tenant) == 0
    await bring(elsewhere, tenant, text)
