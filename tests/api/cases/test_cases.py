"""/api/dashboard/cases, case-runs and case-file: reads, writes and errors."""

from typing import Any

from domain.core.strict_yaml import write_yaml
from store.cases.tables import saved_cases
from tests.support.cases.cases import CASE, CASE_FILE, CASE_RUNS, CASES, a_case, a_case_run
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.reviews.dashboard import code
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

YAML = {"content-type": "application/yaml"}


async def test_a_case_is_written_read_and_deleted(front: LiveEngine, owner: dict[str, str]) -> None:
    body = {**CASE, "origin": "simulation", "tries": 3, "pass_rate": 0.5, "must": False}
    made = await front.http.post(CASES, json=body, headers=owner)
    assert made.status_code == 201, made.text
    case: dict[str, Any] = made.json()
    at = f"{CASES}/{case['id']}"
    assert (case["origin"], case["tries"], case["must"]) == ("simulation", 3, False)
    assert (await front.http.get(at, headers=owner)).json() == case
    listed = (await front.http.get(CASES, params={"limit": 1}, headers=owner)).json()
    assert listed == {"cases": [case], "next_cursor": None}

    again = await front.http.post(CASES, json=body, headers=owner)
    assert code(again) == (409, "case_name_taken")
    text = write_yaml({**CASE, "name": "Neuf"}).encode()
    changed = await front.http.put(at, content=text, headers={**owner, **YAML})
    assert (changed.json()["name"], changed.json()["origin"]) == ("Neuf", "simulation")
    assert (await front.http.delete(at, headers=owner)).status_code == 204
    assert code(await front.http.get(at, headers=owner)) == (404, "case_not_found")


async def test_what_is_wrong_is_told_by_its_place(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for body, problem in (
        ({**CASE, "tries": "3"}, "tries: a whole number expected"),
        ({**CASE, "origin": "run"}, "origin: 'hand' or 'simulation' expected"),
        ({**CASE, "expected": {"status": "lost"}}, "expected.status: "),
        ({**CASE, "scenario": {"messages": [{"text": ""}]}}, "scenario.messages[0].text: "),
    ):
        answer = await front.http.post(CASES, json=body, headers=owner)
        assert code(answer) == (400, "invalid_cases")
        assert answer.json()["problems"][0].startswith(problem), answer.json()
    assert await rows(front.database, saved_cases, of=shop) == []


async def test_a_file_is_all_or_none(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    await a_case(front.database, shop)
    text = (await front.http.get(CASE_FILE, headers=owner)).text
    more = {"version": 1, "cases": [CASE, {**CASE, "name": "Neuf"}]}

    same = await front.http.post(CASE_FILE, content=text, headers={**owner, **YAML})
    tried = await front.http.post(CASE_FILE, json=more, params={"dry_run": True}, headers=owner)
    wrong = {"version": 1, "cases": [*more["cases"], {**CASE, "name": ""}]}  # type: ignore[misc]
    refused = await front.http.post(CASE_FILE, json=wrong, headers=owner)

    assert [one["outcome"] for one in same.json()["cases"]] == ["unchanged"]
    assert [(one["outcome"], one["id"] is None) for one in tried.json()["cases"]] == [
        ("changed", False),
        ("created", True),
    ]
    assert refused.json()["problems"][0].startswith("cases[2].name: ")
    assert [row["name"] for row in await rows(front.database, saved_cases, of=shop)] == ["Colis"]


async def test_a_run_is_saved_with_one_call(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    ref = await write(front.database, shop, "Bonjour, c'est a@b.example : où est mon colis ?")

    made = await front.http.post(f"/api/dashboard/runs/{ref.run_id}/case", headers=owner)

    assert made.status_code == 201, made.text
    (message,) = made.json()["scenario"]["messages"]
    assert message["text"] == "Bonjour, c'est camille.martin@example.com : où est mon colis ?"
    assert (made.json()["origin"], made.json()["run_id"]) == ("run", ref.run_id)


async def test_runs_over_cases_are_listed_and_one_goes_at_a_time(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    earlier = await a_case_run(front.database, shop)
    unknown = await front.http.post(CASE_RUNS, json={"playbook_id": "0" * 26}, headers=owner)
    broken = await front.http.post(CASE_RUNS, json={"playbook": {"name": "x"}}, headers=owner)
    assert code(unknown) == (404, "playbook_not_found")
    assert code(broken) == (400, "invalid_playbook")

    started = await front.http.post(CASE_RUNS, headers=owner)

    assert started.status_code == 202, started.text
    busy = await front.http.post(CASE_RUNS, json={"threshold": 0.9}, headers=owner)
    assert code(busy) == (409, "case_run_under_way")
    listed = (await front.http.get(CASE_RUNS, params={"limit": 1}, headers=owner)).json()
    assert [one["id"] for one in listed["runs"]] == [started.json()["id"]]
    older = await front.http.get(
        CASE_RUNS, params={"limit": 1, "cursor": listed["next_cursor"]}, headers=owner
    )
    assert [one["id"] for one in older.json()["runs"]] == [earlier]
    shown = await front.http.get(f"{CASE_RUNS}/{earlier}", headers=owner)
    assert shown.json()["results"] == []
