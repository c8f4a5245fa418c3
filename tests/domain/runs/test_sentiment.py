"""The critical range: its two thresholds, and messages out of order."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.runs.sentiment import Scored, Zone, after, unnotified, zones

CALM, CRITICAL = Zone.CALM, Zone.CRITICAL
SCORES = st.lists(
    st.sampled_from([-1.0, -0.6, -0.5, -0.4, -0.39, 0.0, 1.0]), min_size=1, max_size=8
)


@pytest.mark.parametrize(
    ("previous", "score", "zone", "entered"),
    [
        (CALM, -0.6, CRITICAL, True),
        (CALM, -0.59, CALM, False),
        (CALM, 1, CALM, False),
        (CRITICAL, -1, CRITICAL, False),
        (CRITICAL, -0.5, CRITICAL, False),
        (CRITICAL, -0.4, CRITICAL, False),
        (CRITICAL, -0.39, CALM, False),
    ],
)
def test_borders(previous: Zone, score: float, zone: Zone, entered: bool) -> None:
    assert after(previous, score) == (zone, entered)


def stays(found: list[Zone]) -> list[set[int]]:
    """Return the positions of the messages in each stay in the range."""
    runs: list[set[int]] = []
    for place, pair in enumerate(pairwise([CALM, *found])):
        if pair == (CALM, CRITICAL):
            runs.append(set())
        if pair[1] is CRITICAL:
            runs[-1].add(place)
    return runs


@given(st.data(), SCORES)
def test_each_stay_is_told_once_whatever_the_order_of_judging(
    data: st.DataObject, scores: list[float]
) -> None:
    judged: set[int] = set()
    told: set[int] = set()
    for place in data.draw(st.permutations(range(len(scores)))):
        judged.add(place)
        places = sorted(judged)
        messages = [Scored(str(i), scores[i], notified=i in told) for i in places]
        told |= {places[number] for number in unnotified(messages)}

    found = zones([Scored("", score) for score in scores])
    assert [len(stay & told) for stay in stays(found)] == [1] * len(stays(found))
    assert told <= {place for stay in stays(found) for place in stay}


def test_zones_need_nothing_from_before_a_calm_message() -> None:
    messages = [Scored("", score) for score in (-0.9, -0.5, -0.3, -0.5, -0.7, -0.4)]

    assert zones(messages)[2:] == zones(messages[2:])
