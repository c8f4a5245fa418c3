"""A save of content, and how many cases it costs their verdict."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import Request

from api.access import Member
from api.resources import Resources
from services.content.lost_verdicts import counting_lost
from services.core.unit_of_work import UnitOfWork

CASES_LOST: Final = "X-Cases-Lost"


@asynccontextmanager
async def saving(
    request: Request, member: Member, resources: Resources
) -> AsyncIterator[UnitOfWork]:
    """A unit of work. The answer's header tells how many cases that a playbook must pass are green
    no more after it, until they are run again."""
    async with (
        resources.work.of(member.tenant) as work,
        counting_lost(work, resources.model) as lost,
    ):
        yield work
    told = (CASES_LOST.lower().encode(), str(lost.count).encode())
    request.state.headers = [*request.state.headers, told]
