"""A save of content, and how many cases it costs their verdict."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import Request

from api.access import Member
from api.resources import Resources
from services.core.unit_of_work import UnitOfWork
from store.cases.verdicts import Verdicts

CASES_LOST: Final = "X-Cases-Lost"


@asynccontextmanager
async def saving(
    request: Request, member: Member, resources: Resources
) -> AsyncIterator[UnitOfWork]:
    """A unit of work. The answer's header tells how many cases that a playbook must pass are green
    no more after it, until they are run again."""
    async with resources.work.of(member.tenant) as work:
        verdicts = Verdicts(work.connection, work.tenant)
        before = await verdicts.green(resources.model)
        yield work
        lost = before - await verdicts.green(resources.model)
    told = (CASES_LOST.lower().encode(), str(len(lost)).encode())
    request.state.headers = [*request.state.headers, told]
