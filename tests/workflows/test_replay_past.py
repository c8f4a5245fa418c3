"""A replay of real events, from the request to the table of differences."""

from pathlib import Path
from typing import Any

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.rulebook import ActionLevel
from domain.playbooks.file import written
from domain.tenants.client import Role
from store.content.content import ContentRepository
from store.playbooks.playbooks import PlaybookRepository
from tests.support.agent.acting import ASKED, CUSTOMER, Acting, acting_shop, order, promising, rules
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import row_counts
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import UNSURE_MESSAGE, open_shop

pytestmark = pytest.mark.own_database

REPLAYS = "/api/dashboard/replays"
TICKET = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER}
SETTINGS = "/api/dashboard/settings"
DELIVERY = "Standard delivery takes 3 to 6 working days and costs 4.90 EUR."
DELIVERY_QUESTION = "How long does standard delivery take?"
# Tables that a replay may write.
_OWN = {"replays", "replay_changes", "audit_entries", "audit_heads"}


async def test_what_really_came_ends_as_it_did_until_something_is_changed(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """The refund's yes answers a question in the thread, its limit is not used up by itself, and
    nothing is written, sent or refunded."""
    confirmed = rules(ActionLevel.CUSTOMER_CONFIRMED, per_customer=5_000)
    it = await acting_shop(acting, tmp_path, [order("2001")], confirmed)
    await promising(acting, it.shop)
    async with acting.working():
        ends = [
            (await acting.post(it.shop, **body)).json()["status"]
            for body in (
                ASKED,
                {**TICKET, "message": "Oui, merci."},
                {"message": UNSURE_MESSAGE, "customer_email": "third@b.example"},
            )
        ]
        assert ends == ["completed", "completed", "needs_review"]
        assert it.refunded == 4_900
        assert not acting.activities.traffic.is_quiet
        before = await row_counts(acting.database, of=it.shop)

        same = await _replayed(acting, it, {})
        stricter = await _replayed(acting, it, {"threshold": 1.0})
        without = await _replayed(acting, it, await _without_refunds(acting, it))
        examples = await _examples(acting, it, without["id"])

    assert (same["state"], same["total"], same["examined"]) == ("done", 3, 3)
    assert (same["changed"], same["tally"]["changes"]) == (0, {})
    assert _ends(same) == {
        ("answered", "answered"): 1,
        ("refunded", "refunded"): 1,
        ("reviewed", "reviewed"): 1,
    }
    assert same["tally"]["money"] == [{"currency": "EUR", "before": 4_900, "after": 4_900}]
    assert ("answered", "reviewed") in _ends(stricter)
    assert without["tally"]["money"] == [{"currency": "EUR", "before": 4_900, "after": 0}]
    assert [one["kind"] for one in examples] == ["now_reviewed", "refund_removed"]
    assert it.refunded == 4_900
    after = await row_counts(acting.database, of=it.shop)
    assert {name: after[name] for name in before if name not in _OWN} == {
        name: count for name, count in before.items() if name not in _OWN
    }


async def test_the_past_month_with_answers_from_knowledge_sent(acting: LiveEngine) -> None:
    """What a member sees before enabling the setting."""
    shop = await open_shop(acting.database)
    async with acting.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=new_ulid(),
            title="Standard delivery",
            body=DELIVERY,
            language="en",
            now=utc_now(),
        )
    it = Acting(shop, Path())
    headers = await person(acting, shop, Role.OWNER)
    named = {"client_id": shop.client_id}

    async def ask(number: int) -> dict[str, Any]:
        body = {"message": DELIVERY_QUESTION, "customer_email": f"lea{number}@example.com"}
        answer: dict[str, Any] = (await acting.post(shop, **body)).json()
        return answer

    async def send(sent: bool) -> None:
        change = {"answers_from_knowledge": sent}
        changed = await acting.http.patch(SETTINGS, params=named, json=change, headers=headers)
        assert changed.status_code == 200, changed.text

    async with acting.working():
        await send(False)
        held = await ask(1)
        assert (held["status"], held["response"]) == ("needs_review", "")
        same = await _replayed(acting, it, {})
        sent = await _replayed(acting, it, {"answers_from_knowledge": True})
        (example,) = await _examples(acting, it, sent["id"])
        await send(True)
        answer = await ask(2)

    assert same["changed"] == 0
    assert sent["tally"]["changes"] == {"now_answered": 1}
    assert example["before"]["reason"] == "policy_restriction"
    assert "3 to 6 working days" in example["draft_after"]
    assert (answer["status"], answer["response"]) == ("completed", example["draft_after"])


async def _replayed(acting: LiveEngine, it: Acting, variant: dict[str, Any]) -> dict[str, Any]:
    """Return a finished replay with this variant."""
    headers = await person(acting, it.shop, Role.OWNER)
    begun = await acting.http.post(
        REPLAYS, json={"client_id": it.shop.client_id, "variant": variant}, headers=headers
    )
    assert begun.status_code == 201, begun.text

    async def over() -> dict[str, Any] | None:
        found = await acting.http.get(f"{REPLAYS}/{begun.json()['id']}", headers=headers)
        replay: dict[str, Any] = found.json()
        return replay if replay["finished_at"] else None

    return await eventually(over)


async def _without_refunds(acting: LiveEngine, it: Acting) -> dict[str, Any]:
    async with acting.database.reading(it.shop.tenant) as connection:
        entry = await PlaybookRepository(connection, it.shop.tenant).read(it.shop.playbook_id)
    draft = entry.spec.model_copy(update={"rulebook": rules(ActionLevel.NEVER)})
    return {"playbook_id": it.shop.playbook_id, "playbook": written(draft)}


async def _examples(acting: LiveEngine, it: Acting, replay_id: str) -> list[dict[str, Any]]:
    headers = await person(acting, it.shop, Role.OWNER)
    found = await acting.http.get(
        f"{REPLAYS}/{replay_id}/examples",
        params={"client_id": it.shop.client_id},
        headers=headers,
    )
    examples: list[dict[str, Any]] = found.json()["examples"]
    return examples


def _ends(replay: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(one["before"], one["after"]): one["events"] for one in replay["tally"]["ends"]}
