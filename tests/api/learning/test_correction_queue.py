"""The correction queue and the labelled examples, over HTTP."""

import pytest

from store.cases.tables import saved_cases
from store.content.tables import knowledge_entries
from store.learning.tables import labelled_examples
from tests.support.cases.cases import CASE
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.learning.corrections import SENT, corrected
from tests.support.learning.learning_routes import CORRECTIONS, EXAMPLES
from tests.support.tenants.shop import Shop

BLANK = {"kind": "knowledge", "title": " ", "body": "x", "language": "fr"}
NO_TEMPLATE = {"kind": "template_change", "template_id": "x", "change": {"body": "y"}}


async def test_from_the_queue_to_an_example(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    first = await corrected(front.database, shop)
    second = await corrected(front.database, shop, sent=None)

    page = (
        await front.http.get(CORRECTIONS, params={"state": "open", "limit": 1}, headers=owner)
    ).json()
    (line,) = page["corrections"]
    assert (line["id"], line["sent_preview"]) == (first, SENT)
    rest = await front.http.get(CORRECTIONS, params={"cursor": page["next_cursor"]}, headers=owner)
    assert [one["id"] for one in rest.json()["corrections"]] == [second]
    assert rest.json()["next_cursor"] is None

    one = (await front.http.get(f"{CORRECTIONS}/{first}", headers=owner)).json()
    # The returned fields can be sent back unchanged.
    lesson = {"classification": "product_question", "intent": "return", **one["offers"]}
    path = f"{CORRECTIONS}/{first}/accept"
    accepted = await front.http.post(path, json=lesson, headers=owner)
    assert accepted.status_code == 200, accepted.text
    case = await only_row(front.database, saved_cases, of=shop)
    entry = await only_row(front.database, knowledge_entries, of=shop)
    made = accepted.json()
    assert (made["case_id"], made["content_id"]) == (case["id"], entry["id"])
    again = await front.http.post(path, json=lesson, headers=owner)
    assert (again.status_code, again.json()["code"]) == (409, "correction_decided")

    (example,) = (await front.http.get(EXAMPLES, headers=owner)).json()["examples"]
    assert (example["id"], example["intent"]) == (made["example_id"], "return")
    gone = await front.http.delete(f"{EXAMPLES}/{example['id']}", headers=owner)
    assert gone.status_code == 204
    assert await rows(front.database, labelled_examples, of=shop) == []

    dismissed = await front.http.post(f"{CORRECTIONS}/{second}/dismiss", headers=owner)
    assert dismissed.status_code == 204


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"classification": "sales"},
        {"classification": "other", "intent": "dance"},
        {"classification": "other", "case": {"name": "x"}},
        {"classification": "other", "case": {**CASE, "must": 0}},
        {"classification": "other", "content": {"kind": "song"}},
        {"classification": "other", "content": {"kind": "knowledge", "title": "x"}},
        {"classification": "other", "content": BLANK},
        {"classification": "other", "content": NO_TEMPLATE},
        {"classification": "other", "more": 1},
    ],
    ids=[
        "nothing", "class", "intent", "case", "must", "kind", "entry", "blank title", "template id",
        "more",
    ],
)  # fmt: skip
async def test_bad_bodies(
    front: LiveEngine, shop: Shop, owner: dict[str, str], body: dict[str, object]
) -> None:
    correction_id = await corrected(front.database, shop)

    answer = await front.http.post(
        f"{CORRECTIONS}/{correction_id}/accept", json=body, headers=owner
    )

    assert answer.status_code == 400, answer.text
    assert await rows(front.database, labelled_examples, of=shop) == []
