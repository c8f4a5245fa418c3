"""Loosening: a change that lets the agent do more, or lowers what an action needs as proof.

Such a change waits for a second manager or for WAITS, unless the client has only one manager or
turned this off. A tightening takes effect at once.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.tenants.client_settings import ClientSettings
from domain.tenants.errors import LooseningChanged, LooseningDecided
from domain.tenants.four_eyes import MemberStanding

WAITS: Final = timedelta(hours=24)
"""How long a loosening waits if no second manager approves it."""

MAX_PENDING: Final = 20
"""Loosenings of one client that may wait at once."""

BY_TIME: Final = "time"
"""Who decided a loosening that took effect because its time had come."""


class LoosenedRule(BaseModel):
    """One thing that becomes looser. `place`: as in `shopify.*: refund.limits.per_action`."""

    model_config = ConfigDict(frozen=True)

    place: str
    before: str
    after: str


class LooseningState(StrEnum):
    PENDING = "pending"
    APPLIED = "applied"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Loosening(BaseModel):
    """A change that loosens. `change`: what is to be done, in the form of its use case.
    `decided_by`: who approved or cancelled it, BY_TIME if its time came."""

    model_config = ConfigDict(frozen=True)

    id: str
    state: LooseningState
    change: dict[str, JsonValue]
    differences: tuple[LoosenedRule, ...]
    requested_by: str
    created_at: datetime
    takes_effect_at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None
    error_code: str | None = None

    def check_pending(self) -> None:
        """Raises LooseningDecided."""
        if self.state is not LooseningState.PENDING:
            raise LooseningDecided(self.id)

    def check_covers(self, found: tuple[LoosenedRule, ...]) -> None:
        """Check that the change loosens nothing by now that was not shown when it was requested.

        Raises LooseningChanged.
        """
        if not set(found) <= set(self.differences):
            raise LooseningChanged(self.id)


def is_held(
    settings: ClientSettings,
    members: tuple[MemberStanding, ...],
    manager_left_at: datetime | None,
    now: datetime,
) -> bool:
    """Return whether a loosening must wait: the client has, or had a day ago, a second manager."""
    if not settings.holds_loosening:
        return False
    several = sum(member.manages for member in members) > 1
    return several or (manager_left_at is not None and now - manager_left_at < WAITS)


def looser_settings(before: ClientSettings, after: ClientSettings) -> tuple[LoosenedRule, ...]:
    """The settings whose change lowers what counts as proof, lets the agent answer more by itself,
    or ends the wait itself."""
    found: list[LoosenedRule] = []
    if before.holds_loosening and not after.holds_loosening:
        found.append(LoosenedRule(place="settings: holds_loosening", before="true", after="false"))
    if after.answers_from_knowledge and not before.answers_from_knowledge:
        place = "settings: answers_from_knowledge"
        found.append(LoosenedRule(place=place, before="false", after="true"))
    if set(after.authserv_ids) - set(before.authserv_ids):
        found.append(
            LoosenedRule(
                place="settings: authserv_ids",
                before=" ".join(before.authserv_ids) or "none",
                after=" ".join(after.authserv_ids),
            )
        )
    return tuple(found)


def audit_ids(difference: LoosenedRule) -> Mapping[str, str]:
    """A difference as an audit entry names it."""
    return {"place": difference.place, "before": difference.before, "after": difference.after}
