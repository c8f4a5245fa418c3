"""GET /api/dashboard/runs: responses, errors and pagination."""

import dataclasses
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.intake.rate_limit import LimitScope, limits
from domain.runs.trace import RunTrace
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.runs.traced_run import CREDENTIAL, TEXT, traced_run
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop

RUNS = "/api/dashboard/runs"
START = utc_now() - timedelta(minutes=30)


def signed_in(front: LiveEngine, user_id: str) -> dict[str, str]:
    return bearer(session_token(front.settings, user_id))


async def ask(front: LiveEngine, shop: Shop, path: str = "", /, **params: object) -> httpx.Response:
    """Send the request as the shop's owner."""
    return await front.http.get(
        f"{RUNS}{path}",
        params={name: str(value) for name, value in params.items()},
        headers=signed_in(front, shop.owner_user_id),
    )


# --- The trace ----------------------------------------------------------------------------------


async def test_trace_of_everything(front: LiveEngine, shop: Shop) -> None:
    run = await traced_run(front.database, shop)

    answer = await ask(front, shop, f"/{run.ref.run_id}")

    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert set(body) == set(RunTrace.model_fields)
    assert (body["run_id"], body["client_id"]) == (run.ref.run_id, shop.client_id)
    assert (body["status"], body["handoff_reason"]) == ("completed", "policy_restriction")
    event = body["event"]
    assert (event["event_id"], event["event_type"]) == (run.ref.event_id, "x")
    assert event["normalized"]["text"] == TEXT
    assert event["normalized"]["customer_email"] == CUSTOMER
    assert body["playbook"] == {
        "playbook_id": shop.playbook_id, "version": 1, "name": "all", "threshold": 0.7
    }  # fmt: skip
    assert body["lookup"]["order"]["total"] == {"minor": 4900, "currency": "EUR"}
    assert body["findings"] == [{"id": "K1", "title": "Retours", "rank": 0.61, "left_out": False}]
    thought = body["thought"]
    assert (thought["classification"], thought["confidence"]) == ("refund_request", 0.83)
    assert (thought["sentiment"], thought["language"]) == (-0.5, "fr")
    assert (thought["tokens_in"], thought["cost_micros"]) == (900, 1234)
    assert thought["alternatives"] == [{"category": "complaint", "confidence": 0.2}]
    assert thought["guard_findings"] == [
        {"words": "49 eur", "reason": "no_source", "state": "held"}
    ]
    assert body["verdicts"] == [
        {"kind": "refund", "ruling": "needs_second", "reason": "above_per_action"}
    ]
    assert [step["kind"] for step in body["plan"]] == ["refund", "reply"]
    (review,) = body["reviews"]
    assert (review["first_approved_by"], review["decided_by"]) == ("user-1", "user-2")
    assert (review["decision"], review["edited_text"]) == ("edit", "Bonjour Ann.")
    assert review["amount"] == {"minor": 4900, "currency": "EUR"}
    (effect,) = body["effects"]
    assert (effect["state"], effect["reference"]) == ("done", "re_1")
    assert effect["amount"] == {"minor": 4900, "currency": "EUR"}
    assert body["timings"]["lookup"] == 20
    assert body["response"] == "Bonjour Ann."


async def test_trace_of_a_run_that_has_only_begun(front: LiveEngine, shop: Shop) -> None:
    """Before normalization, unknown values are null."""
    ref = await write(front.database, shop)
    async with front.database.service() as connection:
        await connection.execute(sa.text("UPDATE engine_events SET unified = NULL"))

    body = (await ask(front, shop, f"/{ref.run_id}")).json()

    assert (body["status"], body["event"]["normalized"]) == ("received", None)
    assert body["thought"]["classification"] is None
    assert (body["plan"], body["reviews"], body["effects"]) == ([], [], [])


async def test_what_an_engine_leaves_can_be_read(engine: LiveEngine, shop: Shop) -> None:
    """With the real steps: everything they store appears in the trace."""
    for message in ("Où est ma commande 1042 ?", "Je veux parler à un conseiller, svp"):
        body = (await engine.post(shop, customer_email=CUSTOMER, message=message)).json()

        trace = (await ask(engine, shop, f"/{body['run_id']}")).json()

        assert (trace["run_id"], trace["status"]) == (body["run_id"], body["status"])
        assert trace["thought"]["classification"] == body["classification"]
        assert len(trace["reviews"]) == (body["status"] == "needs_review")


async def test_no_credential_is_in_it(front: LiveEngine, shop: Shop) -> None:
    run = await traced_run(front.database, shop)

    shown = (await ask(front, shop, f"/{run.ref.run_id}")).text + (await ask(front, shop)).text

    assert run.ref.run_id in shown
    for secret in (CREDENTIAL, run.sealed, "access_token", "sealed", shop.key):
        assert secret not in shown


# --- Errors -------------------------------------------------------------------------------------


async def test_a_run_that_is_not_there(front: LiveEngine, shop: Shop) -> None:
    answer = await ask(front, shop, f"/{new_ulid()}")

    assert (answer.status_code, answer.json()["error"]) == (404, "Exécution introuvable.")


async def test_limit(front: LiveEngine, shop: Shop) -> None:
    resources = front.app.state.resources
    now = utc_now()
    front.app.state.resources = dataclasses.replace(resources, now=lambda: now)
    quota = limits(dry_runs=1)[LimitScope.DASHBOARD].quota
    assert quota == 120

    for _ in range(quota):
        assert (await ask(front, shop)).status_code == 200
    refused = await ask(front, shop, f"/{new_ulid()}")

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert refused.headers["retry-after"] == "60"


# --- The list -----------------------------------------------------------------------------------


async def several(front: LiveEngine, shop: Shop, number: int) -> list[str]:
    """Return the ids of the shop's runs, newest first."""
    refs = [
        await write(front.database, shop, key=f"session:{n}", now=START + timedelta(minutes=n))
        for n in range(number)
    ]
    return [ref.run_id for ref in reversed(refs)]


async def test_newest_first_page_by_page(front: LiveEngine, shop: Shop) -> None:
    run_ids = await several(front, shop, 5)
    await write(front.database, await open_shop(front.database))

    seen: list[str] = []
    cursor: dict[str, object] = {}
    sizes = []
    while True:
        page = (await ask(front, shop, limit=2, **cursor)).json()
        sizes.append(len(page["runs"]))
        seen += [run["run_id"] for run in page["runs"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert (seen, sizes) == (run_ids, [2, 2, 1])


async def test_a_full_last_page_has_no_next(front: LiveEngine, shop: Shop) -> None:
    run_ids = await several(front, shop, 2)

    page = (await ask(front, shop, limit=2)).json()

    assert ([run["run_id"] for run in page["runs"]], page["next_cursor"]) == (run_ids, None)


async def test_filters(front: LiveEngine, shop: Shop) -> None:
    run_ids = await several(front, shop, 3)
    for run_id, status, name in (
        (run_ids[0], "failed", "complaint"),
        (run_ids[1], "needs_review", "complaint"),
    ):
        async with front.database.service() as connection:
            await connection.execute(
                sa.update(engine_runs)
                .where(engine_runs.c.id == run_id)
                .values(status=status, classification=name)
            )

    async def found(**filters: object) -> list[str]:
        return [run["run_id"] for run in (await ask(front, shop, **filters)).json()["runs"]]

    assert await found(status="failed") == run_ids[:1]
    assert await found(status="received") == run_ids[2:]
    assert await found(classification="complaint") == run_ids[:2]
    assert await found(classification="complaint", status="needs_review") == run_ids[1:2]
    assert await found(classification="other") == []
    assert await found(classification="none") == run_ids[2:]
    assert await found(classification="complaint", outcome="open") == run_ids[:2]
    assert await found(outcome="automated") == []
    assert await found(playbook_id=shop.playbook_id, outcome="asked") == run_ids
    today = {"from": START.date(), "to": utc_now().date()}
    assert await found(**today) == run_ids
    assert await found(to=START.date() - timedelta(days=1)) == []
    assert await found(channel="helpdesk", **today) == []


@pytest.mark.parametrize(
    "query",
    [
        "status=nothing", "classification=", "limit=0", "limit=201", "limit=x", "limit=²",
        "limit=-1", "limit=1&limit=2", "cursor=x", "cursor=", "status=failed&status=failed",
        f"limit={'9' * 5000}", "outcome=nothing", "channel=", "playbook_id=x", "from=today",
        "from=2026-02-30", "from=2026-02-02&to=2026-02-01", "from=0001-01-01", "to=9999-12-31",
    ],
)  # fmt: skip
async def test_bad_queries(front: LiveEngine, shop: Shop, query: str) -> None:
    headers = signed_in(front, shop.owner_user_id)

    answer = await front.http.get(f"{RUNS}?{query}", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
    assert answer.json()["error"].startswith("Paramètre invalide : ")
