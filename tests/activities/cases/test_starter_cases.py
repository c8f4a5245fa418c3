"""The starter cases pass with the demo shop's content."""

from typing import Final

import pytest

from demo.content import KNOWLEDGE, TEMPLATES
from demo.seed import PLAYBOOKS
from domain.cases.starter_cases import common_cases, starter_cases
from domain.cases.verdict_on_case import unmet
from domain.playbooks.playbook import PlaybookSpec
from domain.playbooks.starter import starter_playbooks
from domain.simulation.variant import LIVE
from domain.tenants.actor import Actor
from services.content.knowledge import add_knowledge
from services.content.templates import add_template
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import NEW_CLIENT
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.tenants.shop import open_shop

_OPERATOR: Final = Actor.operator("operator:test")


@pytest.mark.parametrize("playbooks", [PLAYBOOKS, starter_playbooks()], ids=["demo", "starter"])
async def test_starter_cases_are_green(
    engine: LiveEngine, playbooks: tuple[PlaybookSpec, ...]
) -> None:
    shop = await open_shop(engine.database, brand="Maison Lavande", event_type="nothing.at.all")
    async with units_on(engine.database).of(shop.tenant) as work:
        await import_playbooks(work, _OPERATOR, playbooks, NEW_CLIENT)
        for template in TEMPLATES:
            await add_template(work, _OPERATOR, template)
        for entry in KNOWLEDGE:
            await add_knowledge(work, _OPERATOR, **entry._asdict())

    failed = {}
    for case in starter_cases():
        thought = await engine.activities.try_cases._simulator.conversation(
            shop.tenant, case.scenario, LIVE
        )
        if missed := unmet(case.expected, thought.last):
            failed[case.name] = (missed, thought.last.status, thought.last.reason)

    assert failed == {}
    assert len(starter_cases()) == 10
    assert len(common_cases()) == 8
