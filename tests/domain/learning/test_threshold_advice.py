"""Threshold advice: observed outcomes are counted, and unobserved ones are within the stated
interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.learning.threshold_advice import PastOutcome, Seen, advise
from domain.learning.threshold_words import in_english, in_french
from domain.learning.unseen import ENOUGH_SEEN, Band, unseen_wrong

HISTORY = (
    *(PastOutcome(0.60, Seen.APPROVED) for _ in range(20)),
    *(PastOutcome(0.65, Seen.EDITED) for _ in range(3)),
    *(PastOutcome(0.65, Seen.REJECTED) for _ in range(1)),
    *(PastOutcome(0.75, Seen.EDITED) for _ in range(1)),
    *(PastOutcome(0.75, Seen.APPROVED) for _ in range(19)),
    *(PastOutcome(0.76, Seen.ALONE) for _ in range(40)),
    *(PastOutcome(0.92, Seen.ALONE) for _ in range(100)),
    *(PastOutcome(0.95, Seen.REJECTED, is_held=True) for _ in range(6)),
    *(PastOutcome(0.92, Seen.EDITED, in_shadow=True) for _ in range(3)),
)


def test_what_happened_is_counted() -> None:
    advice = advise(HISTORY, 0.7)

    assert (advice.runs, advice.current.reviewed, advice.current.alone) == (190, 30, 160)
    assert (advice.current.edits, advice.current.edits_caught) == (4, 3)
    assert (advice.current.rejections, advice.current.rejections_caught) == (1, 1)
    # The 40 at 0.76 are like the 20 beside them; nothing is known about the 100 at 0.92.
    assert advice.current.unknown == 100
    assert 1 <= advice.current.wrong_low <= advice.current.wrong_high <= 12
    assert advice.suggested is not None
    assert advice.suggested.threshold == 0.66


def test_it_is_said_in_both_languages() -> None:
    point = advise(HISTORY, 0.7).current

    assert in_english(point).startswith(
        "0.70 would send 30 of the last 190 to review and avoid 3 of 4 edits and 1 of 1 rejection."
    )
    assert in_french(point).startswith(
        "0,70 enverrait 30 des 190 derniers en relecture et éviterait 3 sur 4 corrections et 1 sur"
        " 1 rejet."
    )
    assert "For 100 that it would send alone, too little is known to say." in in_english(point)


def test_nothing_is_made_of_nothing() -> None:
    advice = advise((), 0.7)

    assert (advice.runs, advice.suggested, advice.current.coverage) == (0, None, 0)
    assert (advice.current.wrong_low, advice.current.wrong_high) == (0, 0)


def test_a_few_corrections_choose_no_threshold() -> None:
    few = tuple(PastOutcome(0.6, Seen.EDITED) for _ in range(3))

    assert advise(few, 0.7).suggested is None


_OUTCOMES = st.lists(
    st.builds(
        PastOutcome,
        st.floats(0, 1),
        st.sampled_from(Seen),
        is_held=st.booleans(),
        in_shadow=st.booleans(),
    ),
    max_size=60,
)


@given(_OUTCOMES)
def test_a_higher_threshold_shows_people_more(history: list[PastOutcome]) -> None:
    advice = advise(history, 0.7)

    for lower, higher in zip(advice.curve, advice.curve[1:], strict=False):
        assert lower.reviewed <= higher.reviewed
        assert lower.edits_caught <= higher.edits_caught <= higher.edits
        assert higher.unknown <= lower.unknown
    for point in advice.curve:
        assert point.reviewed + point.alone == advice.runs
        assert point.wrong_low <= point.wrong_high
        assert point.wrong_high + point.unknown <= point.alone


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 300))
def test_the_interval_stays_within_what_is_unseen(wrong: int, right: int, unseen: int) -> None:
    found = unseen_wrong([Band(wrong, wrong + right, unseen)])

    if wrong + right < ENOUGH_SEEN:
        assert (found.low, found.high, found.unknown) == (0, 0, unseen)
    else:
        assert 0 <= found.low <= found.high <= unseen
        assert found.unknown == 0


@pytest.mark.parametrize(
    ("worst", "bend"), [(0.6, 1.0), (0.9, 2.0), (0.1, 0.5)], ids=["straight", "bent", "good"]
)
def test_the_interval_holds_the_truth_of_simulated_reviewers(worst: float, bend: float) -> None:
    """An answer with confidence c is wrong with a known probability. Reviewers see all answers
    below 0.70, and one in five above it, in shadow mode."""
    held, unknown, width = [], [], []
    random = np.random.default_rng(19)
    for _ in range(60):
        confidence = random.beta(5, 2, 1_500)
        wrong = random.random(1_500) < worst * (1 - confidence) ** bend
        is_checked = (confidence >= 0.7) & (random.random(1_500) < 0.2)
        is_seen = (confidence < 0.7) | is_checked
        history = [
            PastOutcome(
                float(c),
                (Seen.EDITED if w else Seen.APPROVED) if seen else Seen.ALONE,
                in_shadow=bool(checked),
            )
            for c, w, seen, checked in zip(confidence, wrong, is_seen, is_checked, strict=True)
        ]
        curve = {point.threshold: point for point in advise(history, 0.7).curve}
        for threshold in (0.6, 0.7, 0.8):
            point = curve[threshold]
            truth = int((wrong & (confidence >= threshold) & ~is_checked).sum())
            # Unknown answers may be right or wrong.
            held.append(point.wrong_low <= truth <= point.wrong_high + point.unknown)
            unknown.append(point.unknown / point.alone)
            width.append((point.wrong_high - point.wrong_low) / point.alone)
    assert np.mean(held) >= 0.9
    # The interval is not trivial.
    assert np.mean(unknown) < 0.02
    assert np.mean(width) < 0.12
