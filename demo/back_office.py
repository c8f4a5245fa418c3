"""The demo shop's back office: its open reviews, and the commands for deciding them."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demo.content import OWNER
from domain.core.ids import TenantId
from domain.reviews.review import Review
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.identity.sign_in_links import make_sign_in_link
from services.reviews.decisions import edit_review
from store.reviews.reviews import ReviewFilter, list_reviews, read_review

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class BackOffice:
    """The tasks of the shop's staff. `root` is the data folder used in the printed commands."""

    units: UnitsOfWork
    tenant: TenantId
    root: Path

    async def waiting(self) -> Sequence[Review]:
        """Return the open reviews, newest first."""
        async with self.units.database.reading(self.tenant) as connection:
            found = await list_reviews(
                connection, self.tenant, ReviewFilter(), limit=_SHOWN, newest_first=True
            )
            return [await read_review(connection, self.tenant, review.id) for review in found]

    async def reply(self, review: Review, text: str) -> None:
        """Approve the review as the shop's owner, with this text as the answer."""
        async with self.units.of(self.tenant) as work:
            await edit_review(
                work,
                Actor.system(OWNER),
                review.id,
                text,
                seen_event=review.latest_message,
                seen_revision=review.revision,
            )

    async def sign_in_link(self, random: bytes) -> str:
        """Create a link that signs in the shop's owner, and return its token. `random`: TOKEN_BYTES
        random bytes."""
        async with self.units.everywhere() as work:
            return await make_sign_in_link(work, Actor.system("demo"), OWNER, random)

    def reply_line(self, review: Review, text: str) -> str:
        """Return the command that approves the review with this text as the answer.

        It names the latest message if the customer has written again, because the service would
        otherwise reject the decision.
        """
        again = review.latest_message != review.messages[0].event_id
        seen: tuple[str, ...] = ("--message", review.latest_message) if again else ()
        seen += ("--revision", str(review.revision)) if review.revision else ()
        return self.line("review", "approve", review.id, "--text", text, *seen)

    def line(self, *command: str) -> str:
        """Return a `cli.py` command line for this data folder, to paste into a shell."""
        return f".venv/bin/python cli.py {shlex.join((*command, '--data', str(self.root)))}"
