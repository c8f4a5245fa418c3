"""The total size of a client's playbook versions is limited."""

import secrets

import pytest

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ACTIONS
from services.playbooks import change_limit
from store.playbooks.playbooks import PlaybookRepository
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import code
from tests.support.tenants.account import PLAYBOOK_FILE, PLAYBOOKS, RETURNS
from tests.support.tenants.shop import Shop


async def test_versions_have_a_room_for_good(
    front: LiveEngine, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions are never deleted, so they would otherwise grow without limit. Deactivating,
    activating and deleting create none."""
    made = await front.http.post(PLAYBOOKS, json={**RETURNS, "event_type": "x.*"}, headers=owner)
    at = f"{PLAYBOOKS}/{made.json()['id']}"
    await front.http.put(at, json={**RETURNS, "event_type": "y.*"}, headers=owner)
    monkeypatch.setattr(change_limit, "MAX_VERSION_BYTES", 1_000)

    changed = {**RETURNS, "event_type": "y.*", "threshold": 0.91}
    full = (409, "playbook_versions_full")
    assert code(await front.http.put(at, json=changed, headers=owner)) == full
    back = await front.http.post(f"{at}/versions/1/restore", headers=owner)
    assert code(back) == full
    other = {**RETURNS, "name": "n", "event_type": "z.*"}
    assert code(await front.http.post(PLAYBOOKS, json=other, headers=owner)) == full
    whole = {"version": 1, "playbooks": [other]}
    assert code(await front.http.post(PLAYBOOK_FILE, json=whole, headers=owner)) == full
    for turned in ("deactivate", "activate"):
        assert (await front.http.post(f"{at}/{turned}", headers=owner)).status_code == 200
    assert (await front.http.delete(at, headers=owner)).status_code == 204


async def test_the_largest_version_has_64_kib_at_most(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """A client's versions of one day therefore have at most 63 MiB."""

    def rare(length: int) -> str:
        """Return an incompressible text with four bytes per character."""
        return "".join(chr(0x20000 + secrets.randbelow(0xA000)) for _ in range(length))

    largest = {
        **RETURNS,
        "name": rare(200),
        "event_type": f"{rare(198)}.*",
        "active": False,
        "note": rare(500),
        "instructions": rare(10_000),
        "actions": {
            kind: {
                "level": "human-approved",
                "categories": list(Category),
                "intents": list(Intent),
                **({"tags": [rare(40) for _ in range(50)]} if spec.chosen == "tags" else {}),
            }
            for kind, spec in ACTIONS.items()
        },
    }
    async with front.database.tenant(shop.tenant) as connection:
        before = await PlaybookRepository(connection, shop.tenant).version_bytes()
    made = await front.http.post(PLAYBOOKS, json=largest, headers=owner)
    assert made.status_code == 201, made.text

    async with front.database.tenant(shop.tenant) as connection:
        after = await PlaybookRepository(connection, shop.tenant).version_bytes()
    assert 40_000 < after - before < 64 * 1024
