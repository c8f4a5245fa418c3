"""The policy: the playbooks' shared rules, and which playbooks an edit changes."""

from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.merge import as_entry
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec
from domain.playbooks.policy_matrix import (
    Policy,
    PolicyEdit,
    changed_playbooks,
    edit_policy,
    is_same,
    policy_differences,
    read_policy,
)
from domain.playbooks.starter import starter_playbooks
from tests.domain.playbooks.test_file import SPECS, rules

_Rules = Mapping[tuple[str, ActionKind], ActionRule]
REFUND = ActionKind.REFUND
APPROVED = ActionRule(level=ActionLevel.HUMAN_APPROVED)
STRICTER = ActionRule(
    level=ActionLevel.HUMAN_APPROVED, limits=MoneyLimits(currency="EUR", per_action=1_000)
)
OFF = ActionRule(level=ActionLevel.NEVER)


def _entries(specs: list[PlaybookSpec]) -> list[PlaybookEntry]:
    return [as_entry(spec, str(number), 1) for number, spec in enumerate(specs)]


# Few distinct rules, so that channels share some of them.
FEW = st.sampled_from([APPROVED, STRICTER, OFF])
ALIKE = st.builds(
    PlaybookSpec,
    name=st.just("x"),
    event_type=st.just("*"),
    active=st.sampled_from([True, True, True, False]),
    rulebook=st.builds(Rulebook, actions=st.dictionaries(st.just(REFUND), FEW)),
)
SHOPS = st.lists(SPECS | ALIKE, max_size=6).map(_entries)
NEW_RULES = st.fixed_dictionaries({}, optional={kind: rules(kind) for kind in ActionKind})


def _after(entries: list[PlaybookEntry], policy: Policy) -> list[PlaybookEntry]:
    changed = dict(changed_playbooks(entries, policy))
    return [
        one.in_version(one.playbook.version + 1, changed[one.playbook.id])
        if one.playbook.id in changed
        else one
        for one in entries
    ]


def _effective(policy: Policy) -> dict[tuple[str, ActionKind], ActionRule]:
    return {
        (one.id, row.kind): row.rule_in(one.id) for one in policy.channels for row in policy.rows
    }


def _is_alike(one: _Rules, other: _Rules) -> bool:
    return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)


@given(SHOPS)
def test_an_unedited_policy_changes_nothing(entries: list[PlaybookEntry]) -> None:
    policy = read_policy(entries)
    same = PolicyEdit(None, {row.kind: row.rule for row in policy.rows})

    assert changed_playbooks(entries, policy) == ()
    assert changed_playbooks(entries, edit_policy(policy, same)) == ()
    for channel in policy.channels:
        own = {row.kind: row.own.get(channel.id) for row in policy.rows}
        edited = edit_policy(policy, PolicyEdit(channel.id, own))
        assert changed_playbooks(entries, edited) == ()
        assert policy_differences(policy, edited) == ()


@given(SHOPS)
def test_each_channel_has_the_rules_of_its_playbook(entries: list[PlaybookEntry]) -> None:
    policy = read_policy(entries)

    stored = {
        (one.playbook.id, kind): one.rulebook.rule(kind)
        for one in entries
        if one.is_active
        for kind in ActionKind
    }
    assert _is_alike(_effective(policy), stored)
    for row in policy.rows:
        sharing = len(policy.channels) - len(row.own)
        assert all(sharing >= len(one.channels) for one in policy.exceptions(row))


@given(SHOPS, NEW_RULES, st.sets(st.sampled_from(ActionKind)))
def test_shared_rules_are_written_and_read_back(
    entries: list[PlaybookEntry],
    new: Mapping[ActionKind, ActionRule],
    everywhere: set[ActionKind],
) -> None:
    """An exception remains until it is removed; inactive playbooks are unchanged."""
    before = read_policy(entries)
    edited = edit_policy(before, PolicyEdit(None, new, frozenset(everywhere)))
    after = _after(entries, edited)

    assert _is_alike(_effective(read_policy(after)), _effective(edited))
    for row in before.rows:
        for channel in before.channels:
            stays = channel.id in row.own and row.kind not in everywhere
            kept = row.rule_in(channel.id) if stays else new.get(row.kind, row.rule)
            (becomes,) = (one for one in edited.rows if one.kind is row.kind)
            assert becomes.rule_in(channel.id) == kept
    assert [one for one in after if not one.is_active] == [
        one for one in entries if not one.is_active
    ]


@given(SHOPS, NEW_RULES, st.data())
def test_an_edited_channel_leaves_the_others(
    entries: list[PlaybookEntry], new: Mapping[ActionKind, ActionRule], data: st.DataObject
) -> None:
    before = read_policy(entries)
    assume(before.channels)
    chosen = data.draw(st.sampled_from(before.channels)).id
    edited = edit_policy(before, PolicyEdit(chosen, new))

    changed = dict(changed_playbooks(entries, edited))
    assert changed.keys() <= {chosen}
    for difference in policy_differences(before, edited):
        assert [one.id for one in difference.channels] == [chosen]
        assert difference.kind in new
    again = read_policy(_after(entries, edited))
    assert _is_alike(_effective(again), _effective(edited))


@given(SHOPS, NEW_RULES)
def test_what_differs_is_what_changes(
    entries: list[PlaybookEntry], new: Mapping[ActionKind, ActionRule]
) -> None:
    before = read_policy(entries)
    edited = edit_policy(before, PolicyEdit(None, new))

    said = {one.id for it in policy_differences(before, edited) for one in it.channels}
    assert said == {playbook_id for playbook_id, _ in changed_playbooks(entries, edited)}


@given(SPECS)
def test_only_the_rules_of_a_playbook_change(spec: PlaybookSpec) -> None:
    spec = spec.model_copy(update={"active": True})
    entries = _entries([spec])
    stricter = edit_policy(read_policy(entries), PolicyEdit(None, {REFUND: OFF}))

    for _, changed in changed_playbooks(entries, stricter):
        assert {**changed.rulebook.actions, REFUND: None} == {
            **spec.rulebook.actions,
            REFUND: None,
        }
        same = {"rulebook": spec.rulebook}
        assert changed.model_copy(update=same) == spec
        actions = {"actions": spec.rulebook.actions}
        assert changed.rulebook.model_copy(update=actions) == spec.rulebook


def test_the_starter_playbooks_are_one_policy() -> None:
    policy = read_policy(_entries(list(starter_playbooks())))

    (refund,) = (row for row in policy.rows if row.kind is REFUND)
    assert len(policy.channels) == 11
    assert refund.rule.limits == MoneyLimits(
        currency="EUR", per_action=5_000, per_customer=10_000, per_day=50_000
    )
    (exception,) = policy.exceptions(refund)
    assert exception.rule.level is ActionLevel.NEVER
    assert [one.name for one in exception.channels] == [
        *("WooCommerce", "PrestaShop", "Widget", "Helpdesk", "Generic form")
    ]


def test_without_an_active_playbook_there_is_no_policy() -> None:
    off = PlaybookSpec(name="x", event_type="*", active=False)
    policy = read_policy(_entries([off]))

    assert policy == Policy((), ())
    with pytest.raises(PlaybookNotFound):
        edit_policy(policy, PolicyEdit("0", {}))
