"""A request that came by a key of the person who decides on it."""

from collections.abc import Set
from datetime import datetime

from domain.reviews.errors import OwnRequest
from domain.tenants.actor import REVIEWERS, Actor
from domain.tenants.four_eyes import MemberStanding, is_staff


def check_key_maker(
    review_id: str,
    actor: Actor,
    makers: Set[str],
    members: tuple[MemberStanding, ...],
    now: datetime,
    *,
    needs_second: bool,
) -> None:
    """Check that `actor` may approve a review that moves money or needs two people. `makers`: of
    the keys that sent its messages.

    Where one person is enough, a member without colleagues who could decide may: every key of the
    shop is theirs. Raises OwnRequest.
    """
    if is_staff(actor) or actor.known_as not in makers:
        return
    has_colleague = any(
        one.user_id != actor.name and one.role in REVIEWERS and one.unfit(now) is None
        for one in members
    )
    if needs_second or has_colleague:
        raise OwnRequest(review_id)
