"""What a playbook change loosens, by event type."""

from collections.abc import Sequence

import pytest

from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import (
    ActionLevel,
    ActionRule,
    DuringReview,
    MoneyLimits,
    Rulebook,
)
from domain.playbooks.loosened import loosened
from domain.playbooks.playbook import Playbook, PlaybookEntry

AUTONOMOUS, CONFIRMED = ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED
APPROVED, NEVER = ActionLevel.HUMAN_APPROVED, ActionLevel.NEVER


def refunds(
    level: ActionLevel = APPROVED,
    per_action: int | None = 5_000,
    *,
    currency: str = "EUR",
    per_day: int | None = None,
    within_days: int | None = None,
    categories: tuple[Category, ...] = (),
) -> ActionRule:
    return ActionRule(
        level=level,
        limits=MoneyLimits(currency=currency, per_action=per_action, per_day=per_day),
        within_days=within_days,
        categories=categories,
    )


def playbook(
    pattern: str = "*",
    rule: ActionRule | None = None,
    *,
    active: bool = True,
    shadow: bool = False,
    threshold: float = 0.7,
    **others: ActionRule,
) -> PlaybookEntry:
    actions = {ActionKind(kind): one for kind, one in others.items()}
    if rule is not None:
        actions[ActionKind.REFUND] = rule
    return PlaybookEntry(
        playbook=Playbook(
            id=pattern, version=1, name=pattern, event_type=pattern, threshold=threshold
        ),
        is_active=active,
        rulebook=Rulebook(actions=actions, shadow=shadow),
    )


def found(
    before: Sequence[PlaybookEntry], after: Sequence[PlaybookEntry]
) -> list[tuple[str, str, str]]:
    return [(one.place, one.before, one.after) for one in loosened(before, after)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (refunds(), refunds(per_action=50_000), ("limits.per_action", "50.00 EUR", "500.00 EUR")),
        (refunds(), refunds(per_action=None), ("limits.per_action", "50.00 EUR", "unlimited EUR")),
        (refunds(per_day=1), refunds(per_day=2), ("limits.per_day", "0.01 EUR", "0.02 EUR")),
        (refunds(APPROVED), refunds(CONFIRMED), ("level", "human-approved", "customer-confirmed")),
        (refunds(CONFIRMED), refunds(AUTONOMOUS), ("level", "customer-confirmed", "autonomous")),
        (refunds(within_days=30), refunds(within_days=31), ("within_days", "30", "31")),
        (refunds(within_days=30), refunds(), ("within_days", "30", "any")),
        (
            refunds(categories=(Category.COMPLAINT,)),
            refunds(),
            ("categories", "complaint", "any"),
        ),
    ],
)
def test_one_rule_becomes_looser(
    old: ActionRule, new: ActionRule, expected: tuple[str, str, str]
) -> None:
    place, before, after = expected
    assert found([playbook(rule=old)], [playbook(rule=new)]) == [
        (f"*: refund.{place}", before, after)
    ]
    assert found([playbook(rule=new)], [playbook(rule=old)]) == []


def test_another_currency_is_looser_both_ways() -> None:
    euros, dollars = playbook(rule=refunds()), playbook(rule=refunds(currency="USD"))
    assert ("*: refund.limits.per_action", "50.00 EUR", "50.00 USD") in found([euros], [dollars])
    assert found([dollars], [euros])


LOOSE = refunds(AUTONOMOUS, 50_000)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([playbook()], [playbook(rule=LOOSE)], id="an action that was never done"),
        pytest.param([], [playbook(rule=LOOSE)], id="a first playbook"),
        pytest.param(
            [playbook("*", refunds())],
            [playbook("*", refunds()), playbook("shopify.ticket", LOOSE)],
            id="a narrow playbook takes events",
        ),
        pytest.param(
            [playbook("*", LOOSE), playbook("shopify.*", refunds())],
            [playbook("*", LOOSE)],
            id="a tight one is deleted, a loose one inherits",
        ),
        pytest.param(
            [playbook("*", LOOSE), playbook("shopify.*", refunds())],
            [playbook("*", LOOSE), playbook("shopify.*", refunds(), active=False)],
            id="a tight one is turned off",
        ),
        pytest.param(
            [playbook("*", LOOSE), playbook("shopify.*", refunds())],
            [playbook("*", LOOSE), playbook("shopify.ticket.*", refunds())],
            id="a tight one gets fewer events",
        ),
        pytest.param(
            [playbook("a.*", LOOSE), playbook("b.*", refunds())],
            [playbook("*", LOOSE), playbook("b.c", refunds())],
            id="a loose one gets more events",
        ),
        pytest.param([playbook("*", LOOSE, active=False)], [playbook("*", LOOSE)], id="turned on"),
        pytest.param([playbook("*", LOOSE, shadow=True)], [playbook("*", LOOSE)], id="goes live"),
    ],
)
def test_what_events_are_answered_by_counts(
    before: list[PlaybookEntry], after: list[PlaybookEntry]
) -> None:
    assert found(before, after)
    assert found(after, before) == []
    assert found(before, before) == []


def test_two_small_steps_are_two_loosenings() -> None:
    steps = [[playbook(rule=refunds(per_action=amount))] for amount in (5_000, 5_001, 5_002)]
    assert found(steps[0], steps[1])
    assert found(steps[1], steps[2])


def test_what_is_off_or_sends_nothing_loosens_nothing() -> None:
    tight = playbook("*", refunds())
    off, shadow = playbook("x", LOOSE, active=False), playbook("x", LOOSE, shadow=True)
    assert found([tight], [tight, off]) == []
    assert found([tight], [tight, shadow]) == []


def test_answers_by_themselves_are_looser_where_people_answered_before() -> None:
    people = ActionRule(level=APPROVED)
    held, free = playbook(reply=people), playbook()
    assert found([held], [free]) == [("*: reply.level", "human-approved", "autonomous")]
    assert found([], [free]) == []


def test_a_lower_threshold_is_looser_where_money_moves_without_people() -> None:
    def at(threshold: float, rule: ActionRule | None) -> list[PlaybookEntry]:
        return [playbook(rule=rule, threshold=threshold)]

    assert found(at(0.7, LOOSE), at(0.1, LOOSE)) == [("*: threshold", "0.7", "0.1")]
    assert found(at(0.7, refunds()), at(0.1, refunds())) == []


def test_acting_during_a_review_is_looser_where_money_moves_without_a_person() -> None:
    def during(level: ActionLevel, *, actions: bool) -> PlaybookEntry:
        entry = playbook(rule=refunds(level))
        chosen = DuringReview(answers=True, actions=actions)
        rulebook = entry.rulebook.model_copy(update={"during_review": chosen})
        return entry.model_copy(update={"rulebook": rulebook})

    off, on = (during(AUTONOMOUS, actions=actions) for actions in (False, True))
    assert found([off], [on]) == [("*: during_review.actions", "false", "true")]
    assert found([on], [off]) == []
    off, on = (during(APPROVED, actions=actions) for actions in (False, True))
    assert found([off], [on]) == []


def replies(level: ActionLevel, pattern: str = "*") -> PlaybookEntry:
    return playbook(pattern, reply=ActionRule(level=level))


@pytest.mark.parametrize(
    ("stopped", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param([replies(APPROVED)], ["*: reply.level"], id="a tight one"),
        pytest.param([replies(AUTONOMOUS)], [], id="a loose one"),
        pytest.param([replies(APPROVED), replies(AUTONOMOUS)], ["*: reply.level"], id="the latest"),
        pytest.param(
            [replies(AUTONOMOUS), replies(APPROVED, "shopify.ticket")],
            ["shopify.ticket: reply.level"],
            id="an earlier narrow one",
        ),
        pytest.param(
            [replies(APPROVED, "shopify.ticket"), replies(AUTONOMOUS)],
            ["shopify.ticket: reply.level"],
            id="a narrow one",
        ),
    ],
)
def test_a_version_that_stopped_counts_where_none_answers(
    stopped: list[PlaybookEntry], expected: list[str]
) -> None:
    loose = [replies(AUTONOMOUS)]
    assert [one.place for one in loosened([], loose, stopped)] == expected
    assert loosened(loose, loose, stopped) == ()


def hidden(wide: PlaybookEntry, over: PlaybookEntry) -> list[PlaybookEntry]:
    return [wide, over.model_copy(update={"rulebook": shadowed(over.rulebook)})]


def shadowed(rulebook: Rulebook) -> Rulebook:
    return rulebook.model_copy(update={"shadow": True})


def test_what_a_playbook_in_shadow_mode_hides_counts_when_it_goes_live() -> None:
    """It answered until the other was laid over it."""
    tight, loose = replies(APPROVED, "email.*"), replies(AUTONOMOUS, "email.inbound")
    before = hidden(tight, loose)
    assert loosened([tight], before) == ()
    assert [one.place for one in loosened(before, [tight, loose])] == ["email.inbound: reply.level"]
    as_tight = replies(APPROVED, "email.inbound")
    assert loosened(hidden(tight, as_tight), [tight, as_tight]) == ()
    # If the upper one goes, the hidden one answers again and nothing is looser.
    assert loosened(before, [tight]) == ()


def test_what_stopped_counts_beside_what_is_hidden() -> None:
    """Otherwise, one in shadow mode over a loose one could be loosened like it."""
    wide, tight = replies(AUTONOMOUS, "email.*"), replies(APPROVED, "email.inbound")
    loose = replies(AUTONOMOUS, "email.inbound")
    assert [one.place for one in loosened(hidden(wide, loose), [wide, loose], [tight])] == [
        "email.inbound: reply.level"
    ]
    assert [one.place for one in loosened(hidden(wide, loose), [wide], [tight])] == [
        "email.inbound: reply.level"
    ]
    # A version that answered and is live again unchanged loosens nothing.
    tight_wide = replies(APPROVED, "email.*")
    assert loosened(hidden(tight_wide, loose), [tight_wide, loose], [loose]) == ()
    # A loose version that stopped elsewhere does not make up for the hidden one.
    other = replies(AUTONOMOUS, "*")
    assert loosened(hidden(tight_wide, loose), [tight_wide, loose], [other]) != ()


def test_a_loose_playbook_that_stopped_beneath_a_shadow_makes_up_for_nothing() -> None:
    """A tight playbook stops. A loose one is stopped and started while another one in shadow mode
    hides it, so it never answered these events. Then the one in shadow mode is deleted."""
    tight, loose = replies(APPROVED, "email.inbound"), replies(AUTONOMOUS, "email.*")
    shadow = replies(AUTONOMOUS, "email.inbound")
    places = [one.place for one in loosened(hidden(loose, shadow), [loose], stopped=[loose, tight])]
    assert places == ["email.inbound: reply.level"]


def test_the_threshold_of_what_is_hidden_counts() -> None:
    tight = playbook("email.*", LOOSE, threshold=0.9)
    over = playbook("email.inbound", LOOSE, threshold=0.1)
    places = [one.place for one in loosened(hidden(tight, over), [tight, over])]
    assert "email.inbound: threshold" in places


def test_money_is_compared_with_what_answers_now_alone() -> None:
    """To turn a playbook on that refunds by itself waits, also if it was on this morning."""
    loose = playbook(rule=LOOSE)
    assert loosened([], [loose], [loose]) == loosened([], [loose])
    assert loosened([], [loose]) != ()
