"""Times in responses have one form: RFC 3339 in UTC, with milliseconds."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum

from api.http.json_body import json_bytes
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import Shop

MILLISECONDS = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


class Colour(StrEnum):
    RED = "red"


async def test_a_response_has_times_with_milliseconds(front: LiveEngine, shop: Shop) -> None:
    owner = await person(front, shop, Role.OWNER)

    answer = await front.http.get("/api/dashboard/keys", headers=owner)

    times = re.findall(r'"\w+_at":"([^"]+)"', answer.text)
    assert times
    assert [one for one in times if not re.fullmatch(MILLISECONDS, one)] == []


def test_each_kind_of_value() -> None:
    paris = timezone(timedelta(hours=1))
    content = {
        "micro": datetime(2026, 11, 24, 16, 0, 0, 123456, UTC),
        "whole": datetime(2026, 11, 24, 17, tzinfo=paris),
        "day": date(2026, 11, 24),
        "money": Decimal("49.00"),
        "colour": Colour.RED,
        "several": frozenset({1}),
        Colour.RED: (1.5, None, True),
    }

    assert json_bytes(content).decode() == (
        '{"micro":"2026-11-24T16:00:00.123Z","whole":"2026-11-24T16:00:00.000Z",'
        '"day":"2026-11-24","money":"49.00","colour":"red","several":[1],"red":[1.5,null,true]}'
    )
