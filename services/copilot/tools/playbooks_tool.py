"""The copilot tool that reads playbooks: the events that the agent answers, and the actions that it
is allowed to take."""

from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionRule
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.playbooks.playbooks import PlaybookRepository

_SHOWN: Final = 20
_INSTRUCTIONS: Final = 1_000


class PlaybooksAsked(CopilotInput):
    """This tool takes no arguments."""


class PlaybookFacts(CopilotFacts):
    """A playbook. Below the confidence `threshold`, a human reviews the answer. Actions without a
    rule are not allowed, except replies."""

    playbook_id: str
    name: str
    event_type: str
    threshold: float
    version: int
    is_active: bool
    instructions: str
    actions: dict[ActionKind, ActionRule]


class PlaybooksFound(CopilotFacts):
    playbooks: tuple[PlaybookFacts, ...]


async def _list(copilot: CopilotService, _: PlaybooksAsked) -> ToolFindings[PlaybooksFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await PlaybookRepository(connection, copilot.tenant).all()
    facts = tuple(
        PlaybookFacts(
            playbook_id=one.playbook.id,
            name=one.playbook.name,
            event_type=one.playbook.event_type,
            threshold=one.playbook.threshold,
            version=one.playbook.version,
            is_active=one.is_active,
            instructions=one.rulebook.instructions[:_INSTRUCTIONS],
            actions=one.rulebook.actions,
        )
        for one in found[:_SHOWN]
    )
    return ToolFindings(
        PlaybooksFound(playbooks=facts),
        tuple(copilot.cite(CitedKind.PLAYBOOK, one.playbook_id, one.name) for one in facts),
    )


READ_PLAYBOOKS: Final = ReadTool(
    "read_playbooks",
    (
        "The playbooks: the events that they handle, their confidence thresholds, and the "
        "permitted actions."
    ),
    ANYONE,
    ("GET", "/api/dashboard/playbooks"),
    PlaybooksAsked,
    _list,
)
