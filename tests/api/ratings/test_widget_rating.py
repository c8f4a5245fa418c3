"""POST /api/widget/rating: a visitor rates an answer in their own session."""

import pytest

from adapters.system import new_ulid
from store.ratings.tables import ratings
from store.widget.tables import widget_sessions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.page import WidgetPage, page_of
from tests.support.widget.talk import answer, ask, begin

RATING = "/api/widget/rating"


async def _rate(page: WidgetPage, **body: object) -> tuple[int, str]:
    done = await page.engine.http.post(RATING, params=page.params, headers=page.headers, json=body)
    return done.status_code, done.json()["code"] if done.content else ""


async def test_an_answer_is_rated_and_rated_anew(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    session_id = await begin(front.database, shop)
    ref = await ask(front.database, shop, session_id)
    number = await answer(front.database, shop, ref)
    token = page.token(session_id)

    for score in (1, 5):
        done = await _rate(page, session_id=token, number=number, score=score, comment="Bien")
        assert done == (204, "")

    row = await only_row(front.database, ratings, of=shop)
    assert (row["run_id"], row["score"], row["comment"], row["channel"]) == (
        ref.run_id, 5, "Bien", "widget",
    )  # fmt: skip
    assert (await only_row(front.database, widget_sessions, of=shop))["seen_number"] == number


async def test_only_answers_of_one_s_own_session(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    session_id = await begin(front.database, shop)
    number = await answer(front.database, shop, await ask(front.database, shop, session_id))
    own, fresh = page.token(session_id), page.token(new_ulid())
    stranger = await page_of(front, await open_shop(front.database))

    for whose, token, rated, code in (
        (page, own, 1, "answer_not_found"),
        (page, own, 99, "answer_not_found"),
        (page, fresh, number, "widget_session_unknown"),
        (page, session_id, number, "widget_session_unknown"),
        (stranger, own, number, "widget_session_unknown"),
    ):
        assert await _rate(whose, session_id=token, number=rated, score=3) == (404, code)
    assert await rows(front.database, ratings, of=shop) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"score": 0}, {"score": 6}, {"score": "5"}, {"score": None}, {"score": 2.5},
        {"number": -1}, {"comment": "x" * 1_001}, {"comment": "\0"}, {"more": 1},
    ],
    ids=lambda wrong: " ".join(f"{name} {value!r:.6}" for name, value in wrong.items()),
)  # fmt: skip
async def test_bad_bodies(page: WidgetPage, wrong: dict[str, object]) -> None:
    token = page.token(new_ulid())
    body = {"session_id": token, "number": 1, "score": 5, **wrong}
    assert (await _rate(page, **body))[0] == 400


@pytest.fixture
async def page(front: LiveEngine, shop: Shop) -> WidgetPage:
    return await page_of(front, shop)
