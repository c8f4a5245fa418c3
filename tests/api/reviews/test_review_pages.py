"""The review queue over HTTP, with pagination."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import REVIEWS, act, listed
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

START = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize("order", ["oldest", "newest"])
async def test_pages_have_no_gaps_and_no_doubles(
    front: LiveEngine, shop: Shop, owner: dict[str, str], order: str
) -> None:
    """Reviews are opened and decided during pagination; many have the same time, and some are
    urgent."""
    opened = [
        await open_review(
            front.database,
            shop,
            now=START + timedelta(seconds=number // 4),
            sensitive=("health", None, None)[number % 3],
        )
        for number in range(14)
    ]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query: dict[str, str | int] = {"limit": 3, "order": order}
        query |= {"cursor": cursor} if cursor else {}
        answer = (await front.http.get(REVIEWS, params=query, headers=owner)).json()
        page = [it["id"] for it in answer["reviews"]]
        seen += page
        cursor = answer["next_cursor"]
        await act(front, page[0], "reject", owner)
        if cursor is not None:
            await open_review(front.database, shop, now=START + timedelta(minutes=1 + len(seen)))

    assert len(seen) == len(set(seen))
    assert set(opened) <= set(seen)
    places = {it["id"]: place(it, order) for it in await listed(front, owner, status="all")}
    assert [places[it] for it in seen] == sorted(
        (places[it] for it in seen), reverse=order == "newest"
    )


def place(review: dict[str, Any], order: str) -> tuple[bool, str]:
    """Return the sort position, except among reviews with the same time."""
    return order == "oldest" and not review["urgent"], review["created_at"]
