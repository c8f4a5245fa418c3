"""The time of the order in the simulator's form."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import pytest

from api.dashboard.post import Post
from api.dashboard.scenario_form import fields_of_scenario, scenario_in
from domain.simulation.scenario import Scenario


@dataclass(frozen=True)
class Form:
    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        return self.fields.get(name, "")

    def ticked(self, name: str) -> bool:
        return name in self.fields


@pytest.mark.parametrize(
    "sent",
    [
        *("2026-11-20T09:00", "2026-11-20T09:00:00", "2026-11-20T09:00:00Z"),
        *("2026-11-20T11:00:00+02:00", "2026-11-20T09:00:00.000001Z"),
    ],
)
def test_a_browsers_time_is_in_utc(sent: str) -> None:
    """Browsers send a time without a zone."""
    form = Form(
        {
            "turn1": "Where is my order?",
            "event_type": "api_direct",
            "customer_email": "anne@example.com",
            "order_number": "1042",
            "order_total": "49.00",
            "order_state": "shipped",
            "order_placed_at": sent,
        }
    )
    scenario = Scenario.model_validate(scenario_in(cast("Post", form)))
    assert scenario.order
    placed_at = scenario.order.placed_at
    assert placed_at
    assert placed_at.replace(microsecond=0) == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert fields_of_scenario(scenario)["order_placed_at"] == "2026-11-20T09:00:00.000"
