"""A change that loosens rules: it expands the agent's permissions, or weakens a required
verification.

It waits for a second manager's approval or for WAITS, unless the client has only one manager or has
disabled the wait. A change that tightens rules takes effect immediately.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.tenants.client_settings import ClientSettings, folded_words
from domain.tenants.errors import LooseningChanged, LooseningDecided
from domain.tenants.four_eyes import MemberStanding

WAITS: Final = timedelta(hours=24)
"""The period for which a change that loosens rules waits, unless a second manager approves it
earlier."""

MAX_PENDING: Final = 20
"""Maximum number of pending changes that loosen rules, per client."""

BY_TIME: Final = "time"
"""The value of `decided_by` for a change that took effect after its waiting period."""


class LoosenedRule(BaseModel):
    """A rule that becomes looser. `place` is the path of the rule, such as
    `shopify.*: refund.limits.per_action`."""

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
    """A requested change that loosens rules for the agent. `change` has the format of its use case.
    `decided_by` is the user who approved or cancelled it, or BY_TIME after its wait."""

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
        """Raise LooseningDecided unless the change is pending."""
        if self.state is not LooseningState.PENDING:
            raise LooseningDecided(self.id)

    def check_covers(self, found: tuple[LoosenedRule, ...]) -> None:
        """Check that the change loosens only the rules that were shown when it was requested.
        `found` are the rules that it loosens now. Raises LooseningChanged."""
        if not set(found) <= set(self.differences):
            raise LooseningChanged(self.id)


def is_held(
    settings: ClientSettings,
    members: tuple[MemberStanding, ...],
    manager_left_at: datetime | None,
    now: datetime,
) -> bool:
    """Return True if a change that loosens rules must wait. It must wait if the client has not
    disabled the wait, and has a second manager or had a second manager within WAITS."""
    if not settings.holds_loosening:
        return False
    several = sum(member.manages for member in members) > 1
    return several or (manager_left_at is not None and now - manager_left_at < WAITS)


_Pair = tuple[str, str]


def _hold_ended(before: ClientSettings, after: ClientSettings) -> _Pair | None:
    ended = before.holds_loosening and not after.holds_loosening
    return ("true", "false") if ended else None


def _servers_believed(before: ClientSettings, after: ClientSettings) -> _Pair | None:
    if set(after.authserv_ids) <= set(before.authserv_ids):
        return None
    return " ".join(before.authserv_ids) or "none", " ".join(after.authserv_ids)


def _words_removed(before: ClientSettings, after: ClientSettings) -> _Pair | None:
    kept = {folded_words(word) for word in after.sensitive_words}
    removed = [word for word in before.sensitive_words if folded_words(word) not in kept]
    return (", ".join(removed), "none") if removed else None


def _knowledge_sent(before: ClientSettings, after: ClientSettings) -> _Pair | None:
    sent = after.answers_from_knowledge and not before.answers_from_knowledge
    return ("false", "true") if sent else None


def _decision_raised(before: ClientSettings, after: ClientSettings) -> _Pair | None:
    versions = before.answer_decision, after.answer_decision
    return (str(versions[0]), str(versions[1])) if versions[0] < versions[1] else None


SETTINGS_RULES: Final[Mapping[str, Callable[[ClientSettings, ClientSettings], _Pair | None]]] = {
    "holds_loosening": _hold_ended,
    "authserv_ids": _servers_believed,
    "sensitive_words": _words_removed,
    "answers_from_knowledge": _knowledge_sent,
    "answer_decision": _decision_raised,
}
"""For each setting, a function that returns the old and new values if the change loosens the
setting, or None otherwise."""

HARMLESS_SETTINGS: Final[Mapping[str, str]] = {
    "system_prompt": "Words to a model. Code decides which actions it may take and what it states.",
    "guidance": "Style for a model. Code decides which actions it may take and what it states.",
    "branding": "Appearance. A From name is checked where a mail is sent.",
    "retention": "At least 90 days. The audit log is not part of it.",
    "acknowledgement": "A fixed text after a person has the matter.",
    "frame": "A fixed greeting and sign-off around answers that are decided elsewhere.",
    "ask_rating": "A question after an answer.",
    "disclosure": "A line below an answer, which must name the AI assistant.",
    "disclosure_status": "Whether that line is added. The audit log keeps the reason against it.",
}
"""For each other setting, the reason why changing it never loosens a rule. Each setting is either
in this table or in SETTINGS_RULES."""


def looser_settings(before: ClientSettings, after: ClientSettings) -> tuple[LoosenedRule, ...]:
    """Return the settings that become looser, with their old and new values.

    Such a change weakens the required verification, escalates fewer messages to humans, allows more
    automatic answers, or disables the wait itself.
    """
    return tuple(
        LoosenedRule(place=f"settings: {name}", before=pair[0], after=pair[1])
        for name, rule in SETTINGS_RULES.items()
        if (pair := rule(before, after)) is not None
    )


class HeldTrust(BaseModel):
    """Trust that waits for a second manager's approval or for WAITS, while the rest of its change
    is in effect.

    `use` is the kind of object that gets the trust, and `id` is the connection's or key's id. An
    endpoint has its connection's id, and a widget none.

    For a `connection`, `settings` are pending, and None removes one. Other objects are credentials,
    which cannot vouch for a customer's address yet. `since` is the time of the credential's
    creation, which distinguishes it from a later credential.
    """

    model_config = ConfigDict(frozen=True)

    use: Literal["connection", "endpoint", "key", "widget"]
    id: str = ""
    since: datetime | None = None
    settings: dict[str, str | None] = {}

    @property
    def credential(self) -> tuple[LoosenedRule, ...]:
        """Return the rule that trusting the credential loosens."""
        place = " ".join((self.use, self.id)).strip()
        return (LoosenedRule(place=f"{place}: vouches", before="false", after="true"),)


HELD_TRUST: Final = frozenset(get_args(HeldTrust.model_fields["use"].annotation))
"""The possible values of `HeldTrust.use`, as stored in the `change` of a `Loosening`."""


def audit_ids(difference: LoosenedRule) -> Mapping[str, str]:
    """Return the fields of a loosened rule for an audit entry."""
    return {"place": difference.place, "before": difference.before, "after": difference.after}
