"""/api/dashboard/widget: its sites and shares, and its key and secret with overlaps."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.tenants.client_settings import WIDGET_KEY
from domain.widget.widget import unseal_widget_secret
from store.widget.tables import widgets
from tests.support.content.content import SETTINGS, WIDGET
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.reviews.dashboard import code
from tests.support.tenants.shop import Shop

NOTHING: dict[str, object] = {
    "widget_key": None,
    "previous_key_until": None,
    "allowed_origins": [],
    "hourly_messages": None,
    "monthly_tickets": None,
    "accepts_api_keys": True,
    "api_key_used_at": None,
    "has_secret": False,
    "vouches": True,
    "previous_secret_until": None,
    "snippet": None,
    "updated_at": None,
}


async def read(front: LiveEngine, headers: dict[str, str]) -> dict[str, Any]:
    answer = await front.http.get(WIDGET, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def change(front: LiveEngine, headers: dict[str, str], **body: object) -> dict[str, Any]:
    answer = await front.http.patch(WIDGET, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


async def rotate(
    front: LiveEngine, headers: dict[str, str], path: str, **body: object
) -> dict[str, Any]:
    answer = await front.http.post(path, json=body or None, headers=headers)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def client_of(front: LiveEngine, key: str, at: datetime) -> str | None:
    """Return the key's client, as the widget routes look it up."""
    async with front.database.unscoped() as connection:
        found: str | None = await connection.scalar(
            sa.text("SELECT client_of_widget(:key, :at)"), {"key": key, "at": at}
        )
        return found


async def test_what_is_given_takes_its_place_and_the_rest_stays(
    front: LiveEngine, owner: dict[str, str]
) -> None:
    assert await read(front, owner) == NOTHING

    sites = ["https://Shop.Example:443", "http://localhost:3000", "https://shop.example"]
    first = await change(front, owner, allowed_origins=sites, hourly_messages=50.0)
    assert first["allowed_origins"] == ["https://shop.example", "http://localhost:3000"]
    assert first["hourly_messages"] == 50

    second = await change(front, owner, monthly_tickets=10, accepts_api_keys=False)
    assert second == {
        **first,
        "monthly_tickets": 10,
        "accepts_api_keys": False,
        "updated_at": second["updated_at"],
    }
    assert await read(front, owner) == second

    left = {"allowed_origins": None, "accepts_api_keys": None, "hourly_messages": None}
    third = await change(front, owner, **left)
    assert third == {**second, "hourly_messages": None, "updated_at": third["updated_at"]}


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        ({}, "invalid_body", ""),
        ({"hourly_messages": 0}, "invalid_body", "hourly_messages"),
        ({"monthly_tickets": -1}, "invalid_body", "monthly_tickets"),
        ({"monthly_tickets": 10_000_001}, "invalid_body", "monthly_tickets"),
        ({"hourly_messages": "50"}, "invalid_body", "hourly_messages"),
        ({"accepts_api_keys": "no"}, "invalid_body", "accepts_api_keys"),
        ({"previous_key": "wk_1"}, "invalid_body", ""),
        ({"allowed_origins": "https://a.example"}, "invalid_body", "allowed_origins"),
        ({"allowed_origins": ["https://a.example", "*"]}, "invalid_widget", "n° 2"),
        ({"allowed_origins": ["http://a.example"]}, "invalid_widget", "localhost"),
        ({"allowed_origins": ["https://a.example"] * 21}, "invalid_widget", "20 au plus"),
    ],
)
async def test_what_breaks_a_rule_is_named(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, object], error: str, named: str
) -> None:
    answer = await front.http.patch(WIDGET, json=wrong, headers=owner)
    assert code(answer) == (400, error)
    assert named in answer.json()["error"]
    assert await read(front, owner) == NOTHING


async def test_the_key_before_is_valid_until_its_time(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    path, now = SETTINGS + "/widget-key", utc_now()
    first = (await rotate(front, owner, path))["widget_key"]
    assert re.fullmatch(WIDGET_KEY, first)
    assert (await read(front, owner))["previous_key_until"] is None

    second = (await rotate(front, owner, path))["widget_key"]
    shown = await read(front, owner)
    assert f'data-key="{second}"' in shown["snippet"]
    until = datetime.fromisoformat(shown["previous_key_until"])
    # Responses have milliseconds, so the key is valid for less than a millisecond longer.
    last, until = until - timedelta(milliseconds=1), until + timedelta(milliseconds=1)
    assert now + timedelta(hours=24) <= until <= utc_now() + timedelta(hours=24, milliseconds=1)
    assert [await client_of(front, key, last) for key in (first, second)] == [shop.client_id] * 2
    assert await client_of(front, first, until) is None
    assert await client_of(front, second, until) == shop.client_id

    # Never a third secret, and none if the old one is to end at once.
    third = (await rotate(front, owner, path, overlap_hours=168))["widget_key"]
    whose = [await client_of(front, key, utc_now()) for key in (first, second, third)]
    assert whose == [None, shop.client_id, shop.client_id]
    fourth = (await rotate(front, owner, path, overlap_hours=0))["widget_key"]
    whose = [await client_of(front, key, utc_now()) for key in (second, third, fourth)]
    assert whose == [None, None, shop.client_id]
    assert (await read(front, owner))["previous_key_until"] is None


async def test_a_secret_is_shown_once_and_sealed(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    path = WIDGET + "/secret"
    made = [await rotate(front, owner, path), await rotate(front, owner, path, overlap_hours=1)]
    first, second = (one["secret"] for one in made)
    assert all(re.fullmatch("wsec_[0-9a-f]{64}", one) for one in (first, second))
    assert first != second
    assert [one["widget"]["previous_secret_until"] is None for one in made] == [True, False]

    row = await only_row(front.database, widgets, of=shop)
    sealed = (row["sealed_secret"], row["previous_sealed_secret"])
    sealer = front.app.state.resources.sealer
    assert [unseal_widget_secret(sealer, shop.client_id, one) for one in sealed] == [second, first]
    for told in (
        str(row),
        str(await read(front, owner)),
        str(await change(front, owner, hourly_messages=5)),
    ):
        assert first not in told
        assert second not in told

    over = await rotate(front, owner, path, overlap_hours=0)
    assert over["widget"]["previous_secret_until"] is None
    assert (await only_row(front.database, widgets, of=shop))["previous_sealed_secret"] is None


@pytest.mark.parametrize("path", [SETTINGS + "/widget-key", WIDGET + "/secret"])
@pytest.mark.parametrize("hours", [-1, 169, "24", None, True])
async def test_an_overlap_has_its_bounds(
    front: LiveEngine, owner: dict[str, str], path: str, hours: object
) -> None:
    answer = await front.http.post(path, json={"overlap_hours": hours}, headers=owner)
    assert code(answer) == (400, "invalid_body")
    assert await read(front, owner) == NOTHING
