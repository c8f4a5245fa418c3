"""The policy: a matrix of the rules in a client's active playbooks, by action.

Each active playbook is a channel. An action's shared rule is the most common one, and channels with
another rule are listed. The policy is not stored: edits are saved as changes to the playbooks.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionRule
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec

_Rules: TypeAlias = tuple[ActionRule, ...]


@dataclass(frozen=True, slots=True)
class PolicyChannel:
    """An active playbook in its current version, as a channel of the policy. If `is_trial` is true,
    the playbook is in shadow mode."""

    id: str
    version: int
    name: str
    event_type: str
    threshold: float
    is_trial: bool


@dataclass(frozen=True, slots=True)
class PolicyException:
    """A rule that replaces an action's shared rule in these channels."""

    rule: ActionRule
    channels: tuple[PolicyChannel, ...]


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """The rules for one kind of action: the shared rule, and by channel id the rules that differ
    (`own`)."""

    kind: ActionKind
    rule: ActionRule
    own: Mapping[str, ActionRule]

    def rule_in(self, channel_id: str) -> ActionRule:
        """Return the rule that applies in a channel."""
        return self.own.get(channel_id, self.rule)


@dataclass(frozen=True, slots=True)
class Policy:
    """A client's policy: its active playbooks, oldest first, and one row per kind of action."""

    channels: tuple[PolicyChannel, ...]
    rows: tuple[PolicyRow, ...]

    @property
    def digest(self) -> str:
        """Return a digest of the active playbooks and their versions. Forms embed the digest, so
        that a submission is refused if a playbook has changed since."""
        there = [(one.id, one.version) for one in self.channels]
        return hashlib.sha256(repr(there).encode()).hexdigest()[:16]

    def channel(self, channel_id: str) -> PolicyChannel:
        """Return a channel by its id. Raises PlaybookNotFound."""
        for one in self.channels:
            if one.id == channel_id:
                return one
        raise PlaybookNotFound(channel_id)

    def exceptions(self, row: PolicyRow) -> tuple[PolicyException, ...]:
        """Return the exceptions to a row's rule, one for each distinct rule."""
        own = [((row.own[one.id],), one) for one in self.channels if one.id in row.own]
        return tuple(PolicyException(rule, channels) for (rule,), channels in _grouped(own))


@dataclass(frozen=True, slots=True)
class PolicyEdit:
    """An edit to the policy.

    - `channel_id`: the channel to edit, or None for the shared rules.
    - `rules`: the new rule for each action, or None to return to the shared rule.
    - `everywhere`: the actions whose exceptions are removed.
    - `note`: the author's reason.
    """

    channel_id: str | None
    rules: Mapping[ActionKind, ActionRule | None]
    everywhere: frozenset[ActionKind] = frozenset()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyDifference:
    """A rule that an edit changes in `channels`. If `is_everywhere` is true, `channels` contains
    all channels of the policy."""

    kind: ActionKind
    before: ActionRule
    after: ActionRule
    channels: tuple[PolicyChannel, ...]
    is_everywhere: bool


def read_policy(entries: Iterable[PlaybookEntry]) -> Policy:
    """Return the policy of the active playbooks in `entries`, given oldest first.

    An action's shared rule is the one that most channels use. In a tie, the oldest channel's rule
    wins.
    """
    active = [entry for entry in entries if entry.is_active]
    channels = tuple(map(_channel, active))
    if not channels:
        return Policy((), ())
    return Policy(channels, tuple(_row(kind, active) for kind in ActionKind))


def edit_policy(policy: Policy, edit: PolicyEdit) -> Policy:
    """Return the policy after an edit. Raises PlaybookNotFound for an unknown channel."""
    if edit.channel_id is None:
        return replace(policy, rows=tuple(_shared(row, edit) for row in policy.rows))
    channel = policy.channel(edit.channel_id)
    return replace(policy, rows=tuple(_own(row, channel.id, edit) for row in policy.rows))


def changed_playbooks(
    entries: Iterable[PlaybookEntry], policy: Policy
) -> tuple[tuple[str, PlaybookSpec], ...]:
    """Return the ids and new content of the playbooks that must change to match the policy. Rules
    that the policy does not change keep their stored form."""
    known = {channel.id for channel in policy.channels}
    found = []
    for entry in entries:
        if entry.playbook.id not in known:
            continue
        rules = {
            row.kind: rule
            for row in policy.rows
            if not is_same(rule := row.rule_in(entry.playbook.id), entry.rulebook.rule(row.kind))
        }
        if rules:
            actions = {**entry.rulebook.actions, **rules}
            rulebook = entry.rulebook.model_copy(update={"actions": actions})
            spec = entry.spec.model_copy(update={"rulebook": rulebook})
            found.append((entry.playbook.id, spec))
    return tuple(found)


def policy_differences(before: Policy, after: Policy) -> tuple[PolicyDifference, ...]:
    """Return the rules that differ between two policies with the same channels. Channels with the
    same change are grouped together."""
    found: list[PolicyDifference] = []
    for was, becomes in zip(before.rows, after.rows, strict=True):
        changed = (((was.rule_in(one.id), becomes.rule_in(one.id)), one) for one in before.channels)
        for (old, new), channels in _grouped(changed):
            if not is_same(old, new):
                everywhere = len(channels) == len(before.channels)
                found.append(PolicyDifference(was.kind, old, new, channels, everywhere))
    return tuple(found)


def is_same(one: ActionRule, other: ActionRule) -> bool:
    """Return True if two rules have the same effect. The order of lists does not matter."""
    return _key(one) == _key(other)


def _key(rule: ActionRule) -> tuple[object, ...]:
    lists = (frozenset(rule.categories), frozenset(rule.intents), frozenset(rule.tags))
    return (rule.level, *lists, rule.limits, rule.within_days, rule.merchant_requests)


def _grouped(
    pairs: Iterable[tuple[_Rules, PolicyChannel]],
) -> Iterator[tuple[_Rules, tuple[PolicyChannel, ...]]]:
    """Yield each distinct tuple of rules with its channels."""
    groups: dict[object, tuple[_Rules, list[PolicyChannel]]] = {}
    for rules, channel in pairs:
        groups.setdefault(tuple(map(_key, rules)), (rules, []))[1].append(channel)
    for rules, channels in groups.values():
        yield rules, tuple(channels)


def _channel(entry: PlaybookEntry) -> PolicyChannel:
    playbook = entry.playbook
    return PolicyChannel(
        id=playbook.id,
        version=playbook.version,
        name=playbook.name,
        event_type=playbook.event_type,
        threshold=playbook.threshold,
        is_trial=entry.rulebook.shadow,
    )


def _row(kind: ActionKind, active: Sequence[PlaybookEntry]) -> PolicyRow:
    rules = [((entry.rulebook.rule(kind),), _channel(entry)) for entry in active]
    (shared,), _ = max(_grouped(rules), key=lambda group: len(group[1]))
    own = {channel.id: rule for (rule,), channel in rules if not is_same(rule, shared)}
    return PolicyRow(kind, shared, own)


def _shared(row: PolicyRow, edit: PolicyEdit) -> PolicyRow:
    rule = edit.rules.get(row.kind) or row.rule
    own = {} if row.kind in edit.everywhere else row.own
    return replace(row, rule=rule, own=own)


def _own(row: PolicyRow, channel_id: str, edit: PolicyEdit) -> PolicyRow:
    if row.kind not in edit.rules:
        return row
    own = {one: rule for one, rule in row.own.items() if one != channel_id}
    if (rule := edit.rules[row.kind]) is not None:
        own[channel_id] = rule
    return replace(row, own=own)
