"""What a playbook allowed before it was stopped is what its successor is compared with."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.playbooks.file import written
from domain.playbooks.playbook import PlaybookSpec
from store.playbooks.tables import playbook_versions
from store.tenants.tables import loosenings
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.reviews.dashboard import code
from tests.support.tenants.loosenings import PLAYBOOKS, made, put, second_manager
from tests.support.tenants.shop import Shop, open_shop

HELD = (409, "loosening_held")


def replying(
    level: ActionLevel = ActionLevel.HUMAN_APPROVED,
    *,
    name: str = "Shop",
    event_type: str = "shopify.*",
    active: bool = True,
    shadow: bool = False,
) -> PlaybookSpec:
    """A playbook whose answers a person approves; it moves no money."""
    actions = {ActionKind.REPLY: ActionRule(level=level)}
    return PlaybookSpec(
        name=name,
        event_type=event_type,
        active=active,
        rulebook=Rulebook(actions=actions, shadow=shadow),
    )


LOOSE = ActionLevel.AUTONOMOUS


@pytest.fixture
async def shop(front: LiveEngine) -> Shop:
    """One with a second manager."""
    opened = await open_shop(front.database, event_type="unused.*")
    await second_manager(front, opened)
    return opened


@pytest.fixture
async def playbook_id(front: LiveEngine, shop: Shop) -> str:
    return await made(front, shop, replying())


async def switched(
    front: LiveEngine, owner: dict[str, str], playbook_id: str, how: str
) -> httpx.Response:
    path = f"{PLAYBOOKS}/{playbook_id}/{how}"
    answer: httpx.Response = await front.http.post(path, headers=owner)
    return answer


async def edited(
    front: LiveEngine, owner: dict[str, str], playbook_id: str, spec: PlaybookSpec
) -> None:
    answer = await put(front, owner, playbook_id, spec)
    assert answer.status_code == 200, answer.text


async def created(front: LiveEngine, owner: dict[str, str], spec: PlaybookSpec) -> httpx.Response:
    answer: httpx.Response = await front.http.post(PLAYBOOKS, json=written(spec), headers=owner)
    return answer


async def _off(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    assert (await switched(front, owner, playbook_id, "deactivate")).status_code == 200
    await edited(front, owner, playbook_id, replying(LOOSE, active=False))
    return await switched(front, owner, playbook_id, "activate")


async def _shadow(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    await edited(front, owner, playbook_id, replying(shadow=True))
    answer: httpx.Response = await put(front, owner, playbook_id, replying(LOOSE))
    return answer


async def _delete(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    path = f"{PLAYBOOKS}/{playbook_id}"
    assert (await front.http.delete(path, headers=owner)).status_code == 204
    return await created(front, owner, replying(LOOSE, name="Another", event_type="shopify.ticket"))


async def _move(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    await edited(front, owner, playbook_id, replying(event_type="elsewhere"))
    return await created(front, owner, replying(LOOSE, name="Another"))


async def _over(front: LiveEngine, owner: dict[str, str], _: str) -> httpx.Response:
    """A narrower one in shadow mode hides the one that answers."""
    over = replying(LOOSE, name="Over", event_type="shopify.ticket", shadow=True)
    made_over = await created(front, owner, over)
    assert made_over.status_code == 201, made_over.text
    live = replying(LOOSE, name="Over", event_type="shopify.ticket")
    answer: httpx.Response = await put(front, owner, made_over.json()["id"], live)
    return answer


async def _twice(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    """On and off once more: what is tight is turned on at once, and is what counts."""
    for how in ("deactivate", "activate"):
        assert (await switched(front, owner, playbook_id, how)).status_code == 200
    return await _off(front, owner, playbook_id)


Way = Callable[[LiveEngine, dict[str, str], str], Awaitable[httpx.Response]]


@pytest.mark.parametrize("way", [_off, _shadow, _delete, _move, _over, _twice])
async def test_a_stopped_playbook_is_loosened_with_a_second_manager_alone(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str, way: Way
) -> None:
    """A manager stopped it, loosened it and started it again, and nothing waited."""
    assert code(await way(front, owner, playbook_id)) == HELD
    (row,) = await rows(front.database, loosenings, of=shop)
    assert [one["after"] for one in row["differences"]] == ["autonomous"]


async def test_a_playbook_that_was_stopped_a_day_ago_is_as_none(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    assert (await switched(front, owner, playbook_id, "deactivate")).status_code == 200
    await edited(front, owner, playbook_id, replying(LOOSE, active=False))
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(playbook_versions)
            .where(playbook_versions.c.playbook_id == playbook_id)
            .values(stopped_at=utc_now() - timedelta(hours=25))
        )
    assert (await switched(front, owner, playbook_id, "activate")).status_code == 200


async def test_a_playbook_that_waits_is_not_recorded_as_stopped(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    """What is held is undone whole."""
    assert code(await put(front, owner, playbook_id, replying(LOOSE))) == HELD
    stored = await rows(front.database, playbook_versions, playbook_id=playbook_id)
    assert [row["stopped_at"] for row in stored] == [None]
