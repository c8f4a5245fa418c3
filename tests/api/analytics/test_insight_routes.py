"""GET /api/dashboard/insight and related routes: results and rejections."""

from datetime import datetime, timedelta
from typing import Any, Final

import httpx
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.analytics.metrics import day_before, days_of
from domain.tenants.client import Role
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.content.content import ContentRepository
from store.runs.tables import engine_messages
from tests.support.analytics.days import Said, past_event
from tests.support.analytics.reports import INSIGHT, INSIGHT_ROUTES
from tests.support.core.engine import LiveEngine
from tests.support.exports.spreadsheet import strict_rows, unguard
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import Shop, open_shop

SWISS: Final = (
    "Livrez-vous en Suisse ?",
    "Je suis à Genève, vous livrez en Suisse ?",
    "La livraison en Suisse, est-ce possible ?",
)
BULB: Final = ("Quelle ampoule va dans la lampe ?", "=cmd|' /C calc'!A0 une ampoule de lampe ;=1+1")
YESTERDAY: Final = day_before(utc_now())


async def ask(front: LiveEngine, shop: Shop, path: str, /, **params: object) -> httpx.Response:
    headers = await person(front, shop, Role.VIEWER)
    asked = {name.strip("_"): str(value) for name, value in params.items()}
    answer = await front.http.get(path, params=asked, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer


async def told(front: LiveEngine, shop: Shop, path: str, /, **params: object) -> dict[str, Any]:
    found: dict[str, Any] = (await ask(front, shop, path, **params)).json()
    return found


def table(answer: httpx.Response) -> list[dict[str, str]]:
    """Parse a CSV file into columns, and remove the protection against formula injection."""
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert answer.content.startswith(b"\xef\xbb\xbf")
    header, *lines = strict_rows(answer.content[3:].decode())
    names = [name or "" for name in header]
    return [dict(zip(names, [unguard(cell or "") for cell in line], strict=True)) for line in lines]


async def compute(front: LiveEngine, shop: Shop, days: int) -> None:
    async with front.database.service() as connection:
        for day in days_of(YESTERDAY - timedelta(days=days - 1), YESTERDAY):
            found = await count_day(connection, [shop.client_id], day, utc_now())
            await keep_day(connection, found, day, utc_now())


def days_ago(days: int, minute: int = 0) -> datetime:
    noon = utc_now().replace(hour=12, minute=0, second=0, microsecond=0)
    return noon - timedelta(days=days) + timedelta(minutes=minute)


async def asked_in_vain(front: LiveEngine, shop: Shop) -> list[str]:
    """Create five unanswered questions about two topics; a human answered the first. Return their
    events."""
    events = []
    for number, text in enumerate((*SWISS, *BULB)):
        events.append(
            await past_event(
                front.database, shop, days_ago(5, number), status="needs_review", language="fr",
                reviews=["edited" if number == 0 else "pending"], reason="missing_knowledge",
                replied_after=timedelta(hours=1) if number == 0 else None,
                said=Said(text=text, answer="Oui, en Suisse aussi."),
            )
        )  # fmt: skip
    return events


async def test_a_range_beside_the_one_before(front: LiveEngine, shop: Shop) -> None:
    for number in range(3):
        await past_event(front.database, shop, days_ago(2, number), cost_micros=7)
    await past_event(
        front.database, shop, days_ago(3), status="needs_review", reviews=["pending"],
        classification="refund_request",
    )  # fmt: skip
    await past_event(front.database, shop, days_ago(12), said=Said(channel="email"))
    await past_event(front.database, await open_shop(front.database), days_ago(2))
    await compute(front, shop, 14)
    week = {"from": YESTERDAY - timedelta(days=6), "to": YESTERDAY}

    found = await told(front, shop, INSIGHT, compare="previous", **week)
    alone = await told(front, shop, INSIGHT, **week)

    now, then = found["period"]["figures"], found["previous"]["figures"]
    assert (now["asked"], now["resolved_alone"], now["escalated"], now["cost_micros"]) == (
        4, 3, 1, 21
    )  # fmt: skip
    assert (now["resolution_rate"], now["durable_rate"]) == (0.75, None)
    assert (then["asked"], then["durable"], then["durable_rate"]) == (1, 1, 1)
    assert (found["change"]["asked"], found["change"]["resolution_rate"]) == (3, -0.25)
    assert [(one["key"], one["asked"]) for one in found["by_class"]] == [
        ("order_status", 3), ("refund_request", 1)
    ]  # fmt: skip
    (playbook,) = found["by_playbook"]
    assert (playbook["key"], playbook["asked_share"]) == (shop.playbook_id, 1)
    assert playbook["name"]
    assert found["by_reason"] == [{"reason": "low_confidence", "escalated": 1, "rate": 0.25}]
    assert (alone["previous"], alone["change"]) == (None, None)
    assert alone["period"] == found["period"]
    lines = table(await ask(front, shop, f"{INSIGHT}.csv", compare="previous", **week))
    assert [line["part"] for line in lines] == [
        "period", "previous", "change", "class", "class", "playbook", "channel", "reason"
    ]  # fmt: skip
    assert (lines[0]["asked"], lines[0]["resolution_rate"]) == ("4", "0.75")
    assert (lines[2]["resolution_rate"], lines[2]["durable_rate"]) == ("-0.25", "")


async def test_gaps_with_what_a_person_answered(front: LiveEngine, shop: Shop) -> None:
    await asked_in_vain(front, shop)
    await past_event(  # not a knowledge gap: no shop knows the order
        front.database, shop, days_ago(4), reviews=["pending"], reason="missing_knowledge",
        lookup={"state": "not_found"},
    )  # fmt: skip
    await past_event(  # the answer had a source
        front.database, shop, days_ago(4, 1), reviews=["pending"],
        citations=[{"kind": "knowledge", "id": new_ulid(), "title": "t"}],
    )  # fmt: skip
    await past_event(front.database, shop, days_ago(40), reviews=["pending"], said=Said(SWISS[0]))

    found = await told(front, shop, f"{INSIGHT}/gaps")

    assert (found["questions"], found["clusters"], found["is_cut"]) == (5, 2, False)
    swiss, bulb = found["gaps"]
    assert (swiss["count"], swiss["share"], bulb["count"]) == (3, 0.6, 2)
    assert "suisse" in swiss["label"]
    assert {one["text"] for one in swiss["examples"]} == set(SWISS)
    assert swiss["languages"] == [{"value": "fr", "count": 3}]
    assert swiss["answer"]["text"] == "Oui, en Suisse aussi."
    assert (bulb["answer"], swiss["knowledge"]) == (None, None)
    assert swiss["first_seen"] < swiss["last_seen"]
    assert (await told(front, shop, f"{INSIGHT}/gaps", days=90))["questions"] == 6
    assert len((await told(front, shop, f"{INSIGHT}/gaps", limit=1))["gaps"]) == 1
    lines = table(await ask(front, shop, f"{INSIGHT}/gaps.csv"))
    assert [line["count"] for line in lines] == ["3", "2"]
    assert BULB[1] in {lines[1]["example_1"], lines[1]["example_2"]}


async def test_knowledge_written_since_closes_a_gap(front: LiveEngine, shop: Shop) -> None:
    await asked_in_vain(front, shop)
    async with front.database.tenant(shop.tenant) as connection:
        content = ContentRepository(connection, shop.tenant)
        for title, now in (("Livraison en Suisse", utc_now()), ("Ampoule, lampe", days_ago(20))):
            await content.add_knowledge(
                entry_id=new_ulid(), title=title, body=f"{title} : oui.", language="fr", now=now
            )

    swiss, bulb = (await told(front, shop, f"{INSIGHT}/gaps"))["gaps"]

    assert swiss["knowledge"]["title"] == "Livraison en Suisse"
    assert bulb["knowledge"] is None, "it was there already"


async def test_a_question_that_was_erased_is_in_no_gap(front: LiveEngine, shop: Shop) -> None:
    first, *_ = await asked_in_vain(front, shop)
    async with front.database.service() as connection:
        await connection.execute(
            sa.delete(engine_messages).where(engine_messages.c.event_id == first)
        )

    found = await told(front, shop, f"{INSIGHT}/gaps")

    assert found["questions"] == 4
    assert "Oui" not in str(found)


async def test_a_client_of_whom_nothing_is_known(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    await asked_in_vain(front, other)

    nothing = await told(front, shop, INSIGHT, compare="previous")
    gaps = await told(front, shop, f"{INSIGHT}/gaps")

    assert (nothing["period"]["counted"], nothing["period"]["missing"]) == (0, 30)
    assert nothing["period"]["figures"]["resolution_rate"] is None
    assert (gaps["questions"], gaps["gaps"]) == (0, [])
    assert table(await ask(front, shop, f"{INSIGHT}/gaps.csv")) == []


BAD: Final = (
    (INSIGHT, {"from": "yesterday"}, "from"),
    (INSIGHT, {"from": "2026-01-02", "to": "2026-01-01"}, "from"),
    (INSIGHT, {"from": "2025-01-01", "to": "2026-01-02"}, "from"),
    (INSIGHT, {"compare": "next"}, "compare"),
    (f"{INSIGHT}.csv", {"compare": ""}, "compare"),
    (INSIGHT, {"days": "30"}, "inconnu"),
    (f"{INSIGHT}/gaps", {"days": "31"}, "days"),
    (f"{INSIGHT}/gaps", {"days": "x"}, "days"),
    (f"{INSIGHT}/gaps", {"limit": "0"}, "limit"),
    (f"{INSIGHT}/gaps.csv", {"limit": "101"}, "limit"),
    (f"{INSIGHT}/gaps", {"from": "2026-01-01"}, "inconnu"),
)


async def test_what_cannot_be_meant(front: LiveEngine, shop: Shop) -> None:
    headers = await person(front, shop, Role.OWNER)

    for path, params, reason in BAD:
        answer = await front.http.get(path, params=params, headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (
            400, f"Paramètre invalide : {reason}"
        ), (path, params)  # fmt: skip


async def test_another_clients_insight_is_not_there(front: LiveEngine, shop: Shop) -> None:
    headers = await person(front, shop, Role.OWNER)
    other = await open_shop(front.database)

    for path in INSIGHT_ROUTES:
        answer = await front.http.get(path, params={"client_id": other.client_id}, headers=headers)
        assert answer.status_code == 403, path
        keyed = await front.http.get(path, headers=shop.headers)
        assert keyed.status_code == 401, path
