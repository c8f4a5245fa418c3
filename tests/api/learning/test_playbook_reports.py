"""Reports for the dashboard on a playbook in shadow mode and on other thresholds."""

from domain.agent.brain import Category
from domain.agent.plan import ActionKind, PlannedAction
from domain.learning.comparison import PeopleDid, ShadowThought
from tests.support.core.engine import LiveEngine
from tests.support.learning.left_runs import LeftRun, leave_run, leave_shadow
from tests.support.tenants.account import PLAYBOOKS
from tests.support.tenants.shop import Shop

THOUGHT = ShadowThought(
    classification=Category.OTHER,
    confidence=0.9,
    draft="Nous ouvrons à 9 h.",
    plan=(PlannedAction(kind=ActionKind.REPLY),),
)


async def test_the_shadow_report(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        for did in (PeopleDid.ANSWERED, None):
            sent = None if did is None else "Nous sommes ouverts dès 9 h."
            await leave_shadow(connection, shop, THOUGHT, did=did, sent=sent)

    answer = await front.http.get(f"{PLAYBOOKS}/{shop.playbook_id}/shadow", headers=owner)

    told = answer.json()
    assert (told["ready"], told["version"], told["waiting"]) == (False, 1, 1)
    assert told["not_ready"] == ["too_few_compared", "agreement_too_low"]
    assert told["total"]["agreement"]["compared"] == 1
    assert [one["classification"] for one in told["classes"]] == ["other"]
    assert [one["draft"] for one in told["examples"]] == [THOUGHT.draft]


async def test_the_threshold_advice(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        for edited in (True, True, True, False):
            left = LeftRun(0.65, "edited" if edited else "approved", edited=edited)
            await leave_run(connection, shop, left)
        await leave_run(connection, shop, LeftRun(0.5, "rejected"))
        await leave_run(connection, shop, LeftRun(0.9, classification="complaint"))
    at = f"{PLAYBOOKS}/{shop.playbook_id}/threshold-advice"

    told = (await front.http.get(at, headers=owner)).json()
    of_class = (await front.http.get(f"{at}?class=complaint", headers=owner)).json()
    wrong = await front.http.get(f"{at}?class=nothing", headers=owner)

    assert (told["runs"], told["suggested"]["threshold"]) == (6, 0.66)
    assert told["suggested"]["text_en"].startswith(
        "0.66 would send 5 of the last 6 to review and avoid 3 of 3 edits and 1 of 1 rejection."
    )
    assert "0,66 enverrait 5 des 6 derniers en relecture" in told["suggested"]["text_fr"]
    assert (of_class["runs"], of_class["suggested"], of_class["current"]["unknown"]) == (1, None, 1)
    assert wrong.status_code == 400
