"""Loosening changes, requested by a member of a client with two managers."""

from typing import Any, Final

import httpx

from adapters.system import new_ulid
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.playbooks.file import written
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import LooseningHeld
from services.playbooks.playbooks import create_playbook
from services.playbooks.publish_gate import NEW_CLIENT
from store.playbooks.playbooks import PlaybookRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

LOOSENINGS: Final = "/api/dashboard/loosenings"
PLAYBOOKS: Final = "/api/dashboard/playbooks"


def refunding(
    minor: int = 5_000,
    level: ActionLevel = ActionLevel.HUMAN_APPROVED,
    *,
    name: str = "Shop",
    event_type: str = "shopify.*",
    active: bool = True,
) -> PlaybookSpec:
    """Return a playbook that refunds up to this many euro cents."""
    limits = MoneyLimits(currency="EUR", per_action=minor)
    rule = ActionRule(level=level, limits=limits)
    return PlaybookSpec(
        name=name,
        event_type=event_type,
        active=active,
        rulebook=Rulebook(actions={ActionKind.REFUND: rule}),
    )


async def second_manager(front: LiveEngine, shop: Shop, role: Role = Role.ADMIN) -> Actor:
    """Create another manager of the shop, a member for two days."""
    user_id = new_ulid()
    async with front.database.service() as connection:
        await join(connection, shop.client_id, user_id, role)
    return Actor.person(user_id, role)


async def held(front: LiveEngine, shop: Shop) -> str:
    """Create a held change that loosens a rule, requested by an admin, and return its id."""
    admin = await second_manager(front, shop)
    spec = refunding(name=new_ulid(), event_type=f"{new_ulid().lower()}.*")
    try:
        async with units_on(front.database).of(shop.tenant) as work:
            await create_playbook(work, admin, spec, NEW_CLIENT)
    except LooseningHeld as error:
        return error.loosening_id
    raise AssertionError("it was not held")


async def made(front: LiveEngine, shop: Shop, spec: PlaybookSpec) -> str:
    """Create a playbook as an operator, whose changes are not held, and return its id."""
    async with units_on(front.database).of(shop.tenant) as work:
        entry = await create_playbook(work, Actor.operator("operator:root"), spec, NEW_CLIENT)
    return entry.playbook.id


async def another(front: LiveEngine, shop: Shop, **how: Any) -> dict[str, str]:
    """Return the headers of another admin."""
    user_id = new_ulid()
    async with front.database.service() as connection:
        await join(connection, shop.client_id, user_id, Role.ADMIN, **how)
    return bearer(session_token(front.settings, user_id))


async def limit_of(front: LiveEngine, shop: Shop, playbook_id: str) -> int | None:
    """Return the playbook's limit for one refund, in euro cents."""
    async with front.database.reading(shop.tenant) as connection:
        entry = await PlaybookRepository(connection, shop.tenant).read(playbook_id)
    (rule,) = entry.rulebook.actions.values()
    return rule.limits.per_action if rule.limits else None


async def put(
    front: LiveEngine, headers: dict[str, str], playbook_id: str, spec: PlaybookSpec
) -> httpx.Response:
    """Change a playbook over HTTP."""
    path = f"{PLAYBOOKS}/{playbook_id}"
    return await front.http.put(path, json=written(spec), headers=headers)
