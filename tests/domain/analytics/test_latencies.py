"""Percentiles of several days from their histograms."""

import math

from hypothesis import given
from hypothesis import strategies as st

from domain.analytics.latencies import COARSE, WIDTH, added, percentile

DAYS = st.lists(st.lists(st.integers(1, 3_600_000), max_size=30), min_size=1, max_size=8)


def counted(latencies: list[int]) -> dict[str, int]:
    steps = [str(math.floor(math.log(one) / math.log(WIDTH))) for one in latencies]
    return {step: steps.count(step) for step in steps}


@given(DAYS, st.sampled_from([0.5, 0.95]))
def test_the_percentile_of_all_days_is_at_most_2_5_percent_off(
    days: list[list[int]], share: float
) -> None:
    found = percentile(added(map(counted, days)), share)

    every = sorted(one for day in days for one in day)
    if not every:
        assert found is None
        return
    exact = every[math.ceil(share * len(every)) - 1]
    assert found is not None
    assert abs(found / exact - 1) <= 0.026


@given(st.integers(1, 3_600_000))
def test_a_coarse_bucket_stands_for_its_latencies(latency: int) -> None:
    step = math.floor(math.log(latency) / math.log(WIDTH))
    bucket = step // COARSE * COARSE + COARSE // 2

    found = percentile({str(bucket): 1}, 0.5)

    assert found is not None
    assert abs(found / latency - 1) <= 0.077
