"""Find the rules that a change to a client's playbooks loosens.

Moving events to another playbook, or deleting or narrowing one, can loosen rules as well. The
active playbooks are therefore compared as a whole, for each kind of event.

Recently stopped playbooks, and those overridden in shadow mode, count too. Otherwise, a manager
could loosen a playbook while it is stopped, or replace it by way of shadow mode.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits
from domain.core.money import Money
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec, match
from domain.tenants.loosening import LoosenedRule

_RANK: Final = {
    ActionLevel.NEVER: 0,
    ActionLevel.HUMAN_APPROVED: 1,
    ActionLevel.CUSTOMER_CONFIRMED: 2,
    ActionLevel.AUTONOMOUS: 3,
}
_BY_ITSELF: Final = frozenset({ActionLevel.CUSTOMER_CONFIRMED, ActionLevel.AUTONOMOUS})
_LIMITS: Final = ("per_action", "per_customer", "per_day")
HARMLESS_PLAYBOOK: Final[Mapping[str, str]] = {
    "name": "What people call it.",
    "rulebook.instructions": "Words to a model. Code decides which actions it may take.",
    "rulebook.procedure": "Words to a model. Code decides which actions it may take.",
}
"""For each playbook field, the reason why changing the field never loosens a rule. `loosened`
compares all other fields."""
# A character that no pattern contains, because patterns have no control characters.
_ANY_OTHER: Final = "\x01"
_NONE: Final = ActionRule(level=ActionLevel.NEVER)


class WantedChange(BaseModel):
    """A requested change to playbooks, in the format of its use case (`services/playbooks/`)."""

    model_config = ConfigDict(frozen=True)

    use: Literal["create", "update", "restore", "import", "switch", "delete"]
    playbook_id: str = ""
    specs: tuple[PlaybookSpec, ...] = ()
    version: int = 0
    active: bool = False
    says_active: bool = True
    note: str | None = None
    override: str | None = None


def loosened(
    before: Sequence[PlaybookEntry],
    after: Sequence[PlaybookEntry],
    stopped: Sequence[PlaybookEntry] = (),
) -> tuple[LoosenedRule, ...]:
    """Return the loosened rules, by kind of event.

    `before` and `after` are all playbooks of a client, oldest first. `stopped` are the versions
    that stopped within WAITS, latest first. If no active playbook precedes a new one, `_earlier`
    gives the playbooks to compare. Order actions are then compared with a playbook that permits
    nothing.

    Looser levels, amounts, ages and scopes of order actions always count. For other actions, looser
    levels, scopes and tags count if there is a playbook to compare with. A looser threshold or
    `during_review` counts only if the new playbook moves money without approval.
    """
    found: list[LoosenedRule] = []
    for pattern in _patterns(before, after, stopped):
        event_type = _example(pattern)
        was, becomes = _winner(before, event_type), _winner(after, event_type)
        if becomes is None or (was is not None and was.spec == becomes.spec):
            continue
        earlier = (was,) if was is not None else _earlier(before, stopped, event_type, becomes)
        looser = {
            one.place: one for latest in earlier or (None,) for one in _looser(was, becomes, latest)
        }
        found += (
            one.model_copy(update={"place": f"{pattern}: {one.place}"}) for one in looser.values()
        )
    return tuple(found)


def _earlier(
    before: Sequence[PlaybookEntry],
    stopped: Sequence[PlaybookEntry],
    event_type: str,
    becomes: PlaybookEntry,
) -> tuple[PlaybookEntry, ...]:
    """Return the playbooks that answered events of this type earlier, if none answers them now.

    These are all stopped versions, and the playbook overridden in shadow mode. It is unknown which
    one answered last. If all stopped versions equal the new playbook, only the latest version is
    returned.
    """
    ended = tuple(one for one in stopped if match([one.playbook], event_type))
    if ended and all(one.spec == becomes.spec for one in ended):
        return ended[:1]
    hidden = _winner((entry for entry in before if not entry.rulebook.shadow), event_type)
    return ended if hidden is None else (*ended, hidden)


def _patterns(*sides: Sequence[PlaybookEntry]) -> list[str]:
    """Return the patterns of all active playbooks and stopped versions.

    The longest matching pattern decides, so one example of each pattern represents all its events.
    """
    active = (entry for side in sides for entry in side if entry.is_active)
    return sorted({entry.playbook.event_type for entry in active})


def _example(pattern: str) -> str:
    """Return an event type for which this pattern is the longest matching pattern."""
    return pattern.removesuffix("*") + _ANY_OTHER if pattern.endswith("*") else pattern


def _winner(entries: Iterable[PlaybookEntry], event_type: str) -> PlaybookEntry | None:
    """Return the active playbook that answers events of this type. Return None if no playbook
    answers them, or if the playbook that matches them is in shadow mode."""
    active = {entry.playbook.id: entry for entry in entries if entry.is_active}
    won = match([entry.playbook for entry in active.values()], event_type)
    entry = active[won.id] if won is not None else None
    return None if entry is None or entry.rulebook.shadow else entry


def _looser(
    was: PlaybookEntry | None, becomes: PlaybookEntry, latest: PlaybookEntry | None
) -> Iterator[LoosenedRule]:
    """Yield the rules that are looser in `becomes`. `was` is the active playbook before the change,
    if any. `latest` is `was` or an earlier playbook."""
    for kind in ActionKind:
        compared = was if kind in ON_ORDERS else latest
        if compared is None and kind not in ON_ORDERS:
            continue
        old = _NONE if compared is None else compared.rulebook.rule(kind)
        new = becomes.rulebook.rule(kind)
        yield from _of_rule(kind.value, old, new, moves_money=kind in ON_ORDERS)
    acted = was is not None and was.rulebook.during_review.actions
    if becomes.rulebook.during_review.actions and not acted and _by_itself(becomes):
        yield LoosenedRule(place="during_review.actions", before="false", after="true")
    threshold = 0.0 if latest is None else latest.playbook.threshold
    if becomes.playbook.threshold < threshold and _by_itself(becomes):
        yield LoosenedRule(
            place="threshold", before=f"{threshold:g}", after=f"{becomes.playbook.threshold:g}"
        )


def _by_itself(entry: PlaybookEntry) -> bool:
    """Return True if the playbook moves money without human approval."""
    return any(entry.rulebook.rule(kind).level in _BY_ITSELF for kind in ON_ORDERS)


def _of_rule(
    name: str, old: ActionRule, new: ActionRule, *, moves_money: bool
) -> Iterator[LoosenedRule]:
    if _RANK[new.level] > _RANK[old.level]:
        yield LoosenedRule(place=f"{name}.level", before=old.level.value, after=new.level.value)
    if new.merchant_requests and not old.merchant_requests:
        yield LoosenedRule(place=f"{name}.merchant_requests", before="false", after="true")
    if new.level is ActionLevel.NEVER or old.level is ActionLevel.NEVER:
        # If the action was not allowed before, the looser level already implies all other
        # differences except the amounts.
        if moves_money and old.level is ActionLevel.NEVER and new.level is not ActionLevel.NEVER:
            yield from _amounts(name, None, new.limits)
        return
    yield from _scopes(name, old, new)
    if old.limits is not None:
        yield from _amounts(name, old.limits, new.limits)
    if old.within_days is not None and (new.within_days or 10**9) > old.within_days:
        yield LoosenedRule(
            place=f"{name}.within_days",
            before=str(old.within_days),
            after="any" if new.within_days is None else str(new.within_days),
        )


def _scopes(name: str, old: ActionRule, new: ActionRule) -> Iterator[LoosenedRule]:
    """Yield the scopes that become wider, so that more kinds of messages can trigger the action.
    Also yield added tags."""
    for scope in ("categories", "intents"):
        had, has = getattr(old, scope), getattr(new, scope)
        if had and (not has or set(has) - set(had)):
            yield LoosenedRule(
                place=f"{name}.{scope}",
                before=" ".join(one.value for one in had),
                after=" ".join(one.value for one in has) or "any",
            )
    if set(new.tags) - set(old.tags):
        yield LoosenedRule(
            place=f"{name}.tags", before=" ".join(old.tags) or "none", after=" ".join(new.tags)
        )


def _amounts(name: str, old: MoneyLimits | None, new: MoneyLimits | None) -> Iterator[LoosenedRule]:
    """Yield the limits on amounts that are raised, removed or changed to another currency. If `old`
    is None, yield all limits."""
    same = old is not None and new is not None and old.currency == new.currency
    for limit in _LIMITS:
        was = None if old is None else getattr(old, limit)
        becomes = None if new is None else getattr(new, limit)
        if old is None:
            looser = True
        elif same:
            looser = was is not None and (becomes is None or becomes > was)
        else:
            looser = True
        if looser:
            place = f"{name}.limits.{limit}"
            before = "none" if old is None else _money(old, was)
            after = "unlimited" if new is None else _money(new, becomes)
            yield LoosenedRule(place=place, before=before, after=after)


def _money(limits: MoneyLimits, minor: int | None) -> str:
    if minor is None:
        return f"unlimited {limits.currency}"
    return f"{Money(minor=minor, currency=limits.currency).decimal()} {limits.currency}"
