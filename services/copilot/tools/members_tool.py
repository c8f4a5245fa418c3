"""The copilot tool that reads a client's members."""

from datetime import datetime
from typing import Final

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import MANAGERS
from domain.tenants.client import Role
from services.copilot.copilot_service import CopilotService, ReadTool
from store.tenants.members import MemberRepository

_SHOWN: Final = 50


class MembersAsked(CopilotInput):
    """This tool takes no arguments."""


class MemberFacts(CopilotFacts):
    email: str
    role: Role
    since: datetime


class MembersFound(CopilotFacts):
    members: tuple[MemberFacts, ...]


async def _list(copilot: CopilotService, _: MembersAsked) -> ToolFindings[MembersFound]:
    # Users do not belong to a client, so the query filters by client.
    async with copilot.database.reading_across() as connection:
        found = await MemberRepository(connection).all(copilot.tenant)
    return ToolFindings(
        MembersFound(
            members=tuple(
                MemberFacts(email=one.email, role=one.role, since=one.since)
                for one in found[:_SHOWN]
            )
        ),
        (copilot.cite(CitedKind.MEMBER, "members", "Members"),),
    )


READ_MEMBERS: Final = ReadTool(
    "read_members",
    "The owner and the members of the client, with their roles.",
    MANAGERS,
    ("GET", "/api/dashboard/members"),
    MembersAsked,
    _list,
)
