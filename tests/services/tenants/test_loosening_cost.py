"""The comparison of rules before and after a change leaves the event loop free."""

import threading

from adapters.system import new_ulid
from domain.tenants.actor import Actor
from domain.tenants.loosening import LoosenedRule
from services.tenants.loosenings import held_if_looser
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop


async def test_rules_are_compared_in_a_thread(database: Database, shop: Shop) -> None:
    on_loop = list[bool]()

    async def look() -> str:
        return new_ulid()

    def compare(before: str, after: str) -> tuple[LoosenedRule, ...]:
        assert before != after
        on_loop.append(threading.current_thread() is threading.main_thread())
        return ()

    async with units_on(database).of(shop.tenant) as work:
        actor = Actor.operator("operator:tests")
        async with held_if_looser(work, actor, {}, look=look, compare=compare):
            pass

    assert on_loop == [False]
