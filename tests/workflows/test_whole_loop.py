"""The complete loop over HTTP with a real worker: a bad answer is corrected, becomes a case, blocks
the next version, teaches the agent, and the version goes live."""

from typing import Any, Final

import httpx

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.core.ids import TenantId
from domain.tenants.client import Role
from store.learning.tables import corrections
from store.reviews.tables import escalation_tickets
from tests.support.cases.cases import CASE_RUNS, CASES
from tests.support.content.content import KNOWLEDGE
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.learning.learning_routes import CORRECTIONS
from tests.support.reviews.dashboard import act, code, person
from tests.support.tenants.account import PLAYBOOKS
from tests.support.tenants.shop import open_shop

REPLAYS: Final = "/api/dashboard/replays"
QUESTION: Final = "Bonjour, combien de jours ai-je pour vous retourner un article ?"
WRONG: Final = "Vous avez 14 jours pour retourner un article."
RIGHT: Final = "Vous avez 30 jours pour retourner un article."
CAREFUL: Final = Rulebook(
    actions={ActionKind.REPLY: ActionRule(level=ActionLevel.HUMAN_APPROVED)},
)
BOLD: Final[dict[str, Any]] = {"name": "all", "event_type": "*", "threshold": 0.3}


async def test_a_correction_makes_the_next_version_better(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database, rulebook=CAREFUL)
    owner = await person(engine, shop, Role.OWNER)
    http, one = engine.http, f"{PLAYBOOKS}/{shop.playbook_id}"
    entry = {"title": "Retours", "body": WRONG, "language": "fr"}
    knowledge = _made(await http.post(KNOWLEDGE, json=entry, headers=owner), 201)

    # A reviewer edits a bad answer.
    asked = _made(await engine.post(shop, message=QUESTION, customer_email="lea@example.com"), 200)
    assert asked["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert "14 jours" in review["draft"]
    _made(await act(engine, review["id"], "edit", owner, text=RIGHT), 200)

    # It becomes a case.
    kept = await eventually(lambda: _correction(engine, shop.tenant))
    lesson = _made(await http.get(f"{CORRECTIONS}/{kept}", headers=owner), 200)
    offered = lesson["offers"]["case"]
    assert (offered["expected"]["contains"], offered["expected"]["omits"]) == (
        ["30 jours"],
        ["14 jours"],
    )
    # The next version lacks the rule that required a review.
    expected = {**offered["expected"], "status": "completed"}
    _made(await http.post(CASES, json={**offered, "expected": expected}, headers=owner), 201)

    # The case fails with the next version, which would answer automatically.
    assert _refusal(await http.put(one, json=BOLD, headers=owner)) == (0, 1)
    assert (await _tried(engine, owner, shop.playbook_id))["passed"] == 0
    assert _refusal(await http.put(one, json=BOLD, headers=owner)) == (1, 0)

    # Knowledge is accepted from the correction, and the case passes.
    content = {
        "kind": "knowledge_change",
        "knowledge_id": knowledge["id"],
        "change": {"body": RIGHT},
    }
    body = {"classification": "product_question", "content": content}
    _made(await http.post(f"{CORRECTIONS}/{kept}/accept", json=body, headers=owner), 200)
    assert _refusal(await http.put(one, json=BOLD, headers=owner)) == (0, 1)
    assert (await _tried(engine, owner, shop.playbook_id))["passed"] == 1

    # The version goes live, and the replay shows the difference.
    assert _made(await http.put(one, json=BOLD, headers=owner), 200)["version"] == 2
    again = _made(await engine.post(shop, message=QUESTION, customer_email="b@example.com"), 200)
    assert (again["status"], "30 jours" in again["response"]) == ("completed", True)
    begun = _made(await http.post(REPLAYS, json={"client_id": shop.client_id}, headers=owner), 201)
    replay = await _ended(engine, owner, f"{REPLAYS}/{begun['id']}")
    examples = (await http.get(f"{REPLAYS}/{begun['id']}/examples", headers=owner)).json()[
        "examples"
    ]
    assert (replay["state"], replay["total"], replay["changed"]) == ("done", 2, 1)
    assert [example["kind"] for example in examples] == ["now_answered"]


def _made(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


def _refusal(answer: httpx.Response) -> tuple[int, int]:
    """Return how many cases fail, and how many were not run."""
    assert code(answer) == (409, "cases_not_green"), answer.text
    return answer.json()["failing"], answer.json()["untried"]


async def _correction(engine: LiveEngine, tenant: TenantId) -> str | None:
    async with engine.database.reading(tenant) as connection:
        found = await connection.execute(corrections.select())
        row = found.one_or_none()
    return None if row is None else str(row.id)


async def _tried(engine: LiveEngine, owner: dict[str, str], playbook_id: str) -> dict[str, Any]:
    """Return the finished run of all cases on the bold draft."""
    body = {"playbook_id": playbook_id, "playbook": BOLD}
    begun = _made(await engine.http.post(CASE_RUNS, json=body, headers=owner), 202)
    ended = await _ended(engine, owner, f"{CASE_RUNS}/{begun['id']}")
    run: dict[str, Any] = ended["run"]
    return run


async def _ended(engine: LiveEngine, owner: dict[str, str], path: str) -> Any:
    async def over() -> Any:
        found = (await engine.http.get(path, headers=owner)).json()
        return found if found.get("run", found)["finished_at"] else None

    return await eventually(over)
