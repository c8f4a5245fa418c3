"""The copilot tool that reads API keys: prefix, label and last use. The keys themselves are not
stored."""

from datetime import datetime
from typing import Final

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import MANAGERS
from services.copilot.copilot_service import CopilotService, ReadTool
from store.tenants.keys import KeyRepository

_SHOWN: Final = 20


class KeysAsked(CopilotInput):
    """This tool takes no arguments."""


class KeyFacts(CopilotFacts):
    key_id: str
    label: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class KeysFound(CopilotFacts):
    keys: tuple[KeyFacts, ...]


async def _list(copilot: CopilotService, _: KeysAsked) -> ToolFindings[KeysFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await KeyRepository(connection).page(copilot.tenant, after=None, limit=_SHOWN)
    return ToolFindings(
        KeysFound(
            keys=tuple(
                KeyFacts(
                    key_id=one.id,
                    label=one.label,
                    prefix=one.prefix,
                    created_at=one.created_at,
                    last_used_at=one.last_used_at,
                    revoked_at=one.revoked_at,
                )
                for one in found
            )
        ),
        tuple(copilot.cite(CitedKind.KEY, one.id, one.label) for one in found[:1]),
    )


READ_KEYS: Final = ReadTool(
    "read_keys",
    "The API keys: label, first characters, last use and status, without the keys themselves.",
    MANAGERS,
    ("GET", "/api/dashboard/keys"),
    KeysAsked,
    _list,
)
