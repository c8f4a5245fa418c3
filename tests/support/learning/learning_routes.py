"""The routes for corrections and labelled examples, with an existing record of each."""

from typing import Any, Final

from domain.tenants.actor import ANYONE, MANAGERS
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.learning.corrections import corrected, labelled
from tests.support.tenants.shop import Shop

CORRECTIONS: Final = "/api/dashboard/corrections"
EXAMPLES: Final = "/api/dashboard/labelled-examples"

OF_LEARNING: Final[tuple[tuple[str, str, frozenset[Role], dict[str, Any] | None, str], ...]] = (
    ("GET", CORRECTIONS + "/{correction_id}", ANYONE, None, "correction_not_found"),
    (
        "POST",
        CORRECTIONS + "/{correction_id}/accept",
        MANAGERS,
        {"classification": "other"},
        "correction_not_found",
    ),
    ("POST", CORRECTIONS + "/{correction_id}/dismiss", MANAGERS, None, "correction_not_found"),
    ("DELETE", EXAMPLES + "/{example_id}", MANAGERS, None, "example_not_found"),
)
"""The routes for one record, each with its permitted roles, the smallest body and the code for a
missing record."""


async def a_correction(front: LiveEngine, shop: Shop) -> dict[str, str]:
    return {"correction_id": await corrected(front.database, shop)}


async def an_example(front: LiveEngine, shop: Shop) -> dict[str, str]:
    return {"example_id": await labelled(front.database, shop)}
