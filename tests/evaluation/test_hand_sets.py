"""The hand-labelled sets: many varied rows, committed by their hashes, without duplicates."""

from collections import Counter

import pytest

from domain.agent.brain import Category
from domain.agent.safety.sensitive import SensitiveMatter
from evaluation.action_case import Expectation
from evaluation.hand_sets import HandSets, read_hand_sets
from evaluation.message import LANGUAGES
from evaluation.sealing import FOLDER, HandRow

SETS = read_hand_sets()
NAMES = (
    "actions", "safety", "injections", "honest", "templates", "numbers", "help", "replies",
    "drafts",
)  # fmt: skip
MATTERS = tuple(matter for matter in SensitiveMatter if matter is not SensitiveMatter.OWN)


def share_of_whole(whole: int) -> int:
    """Return how many of `whole` rows must exist: all, or the open two thirds with a margin."""
    return whole if SETS.actions.sealed is not None else int(whole * 0.6)


def test_every_set_was_committed_to() -> None:
    lines = (FOLDER / "sealed.sha256").read_text().splitlines()

    assert {line.split()[1] for line in lines} == {f"{name}.yaml" for name in NAMES}
    assert all(len(line.split()[0]) == 64 for line in lines)


def test_what_is_not_opened_is_said() -> None:
    sets = [getattr(SETS, name) for name in NAMES]

    assert SETS.unopened == tuple(n for n, it in zip(NAMES, sets, strict=True) if it.sealed is None)


@pytest.mark.parametrize(
    ("name", "least"),
    [("actions", 400), ("safety", 150), ("templates", 120), ("numbers", 200), ("help", 400)],
)
def test_there_are_enough_of_several_hands(name: str, least: int) -> None:
    rows: tuple[HandRow, ...] = getattr(SETS, name).rows

    assert len(rows) >= share_of_whole(least)
    assert len({row.id[0] for row in rows}) >= 4


def test_there_are_enough_injections_and_honest_messages() -> None:
    assert len(SETS.injections.rows) >= share_of_whole(200)
    assert len(SETS.honest.rows) >= share_of_whole(200)


def test_the_actions_are_of_all_kinds() -> None:
    cases = SETS.actions.rows

    assert sum(case.multi_turn for case in cases) >= len(cases) / 3
    assert {case.expect for case in cases} == set(Expectation)
    for language in LANGUAGES:
        assert sum(case.language == language for case in cases) >= 0.45 * len(cases)
    plain = Counter((case.expect, case.action) for case in cases)
    assert min(plain.values()) >= share_of_whole(20)
    assert sum(case.pending is not None for case in cases) >= share_of_whole(60)


@pytest.mark.parametrize("matter", MATTERS)
def test_the_safety_net_has_enough_of_each_category(matter: SensitiveMatter) -> None:
    of_it = [row for row in SETS.safety.rows if row.category is matter]
    real = [row for row in of_it if not row.harmless]

    assert len(of_it) >= 10
    # At least ten real ones in both parts; the open part has slightly fewer of some.
    assert len(real) >= (10 if SETS.safety.sealed is not None else 8)
    assert {row.language for row in real} == set(LANGUAGES)


def test_two_thirds_of_the_replies_mislead() -> None:
    misleading = sum(not row.is_yes for row in SETS.replies.rows)

    assert misleading >= share_of_whole(120)
    assert len(SETS.replies.rows) - misleading >= share_of_whole(60)


def test_half_of_the_safety_messages_are_look_alikes() -> None:
    harmless = sum(row.harmless for row in SETS.safety.rows)

    assert 0.45 < harmless / len(SETS.safety.rows) < 0.55


def test_the_ready_answers_are_wrong_more_often_than_right() -> None:
    wrong = Counter(row.category for row in SETS.templates.rows if not row.right)

    assert set(wrong) == set(Category)
    assert sum(wrong.values()) > len(SETS.templates.rows) / 2
    assert any(row.right for row in SETS.templates.rows)


def test_no_two_texts_are_the_same() -> None:
    for texts in (
        [row.text for row in SETS.safety.rows],
        [row.text for row in SETS.templates.rows],
        [row.text for row in SETS.honest.rows],
        [row.text for row in SETS.injections.rows],
        [row.text for row in SETS.replies.rows],
        [case.message for case in SETS.actions.rows if not case.history],
    ):
        assert [text for text, count in Counter(texts).items() if count > 1] == []


def test_the_fields_of_the_sets_are_their_names() -> None:
    assert HandSets.__slots__ == NAMES
