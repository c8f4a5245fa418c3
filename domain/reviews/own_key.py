"""A request that came by a key of the person who decides on it."""

from collections.abc import Set
from datetime import datetime

from domain.reviews.errors import OwnRequest
from domain.tenants.actor import REVIEWERS, Actor
from domain.tenants.four_eyes import MemberStanding, is_staff
from domain.tenants.loosening import WAITS


def check_key_maker(
    review_id: str,
    actor: Actor,
    makers: Set[str],
    members: tuple[MemberStanding, ...],
    now: datetime,
    *,
    manager_left_at: datetime | None,
    needs_second: bool,
) -> None:
    """Check that `actor` may approve a review that moves money or needs two people. `makers`: of
    the keys that sent its messages.

    Where one person is enough, a member without colleagues who could decide may: every key of the
    shop is theirs. A manager who left within a day counts as a colleague, so that nobody removes
    the others first. Raises OwnRequest.
    """
    if is_staff(actor) or actor.known_as not in makers:
        return
    has_colleague = any(one.user_id != actor.name and one.role in REVIEWERS for one in members)
    had_one = manager_left_at is not None and now - manager_left_at < WAITS
    if needs_second or has_colleague or had_one:
        raise OwnRequest(review_id)
