"""The demo shop's back office: what waits for a person, and the commands that answer it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demo.content import OWNER
from domain.core.ids import TenantId
from domain.reviews.review import ReviewSummary
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.reviews.decisions import edit_review
from store.reviews.reviews import ReviewFilter, list_reviews

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class BackOffice:
    """`root`: the data folder that the commands work on."""

    units: UnitsOfWork
    tenant: TenantId
    root: Path

    async def waiting(self) -> Sequence[ReviewSummary]:
        """The newest first."""
        async with self.units.database.reading(self.tenant) as connection:
            return await list_reviews(
                connection, self.tenant, ReviewFilter(), limit=_SHOWN, newest_first=True
            )

    async def reply(self, review: ReviewSummary, text: str) -> None:
        """Answer with these words, as a person of the shop does."""
        async with self.units.of(self.tenant) as work:
            await edit_review(work, Actor.system(OWNER), review.id, text)

    def reply_line(self, review: ReviewSummary, text: str) -> str:
        """The command that does it."""
        return self.line("review", "approve", review.id, "--text", text)

    def line(self, *command: str) -> str:
        """A command of the operator's, to paste."""
        return f".venv/bin/python cli.py {shlex.join((*command, '--data', str(self.root)))}"
