"""When a playbook is ready to leave shadow mode."""

import pytest

from domain.learning.intervals import wilson
from domain.learning.shadow_report import ClassCounts, NotReady, ShadowReport, totalled


def _report(agreed: int, disagreed: int, money: int = 0) -> ShadowReport:
    one = ClassCounts(classification="other", agreed=agreed, money_differs=money)
    other = ClassCounts(classification="complaint", disagreed=disagreed)
    classes = (one, other)
    return ShadowReport(playbook_id="p", version=1, total=totalled(classes), classes=classes)


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (_report(50, 0), ()),
        (_report(49, 0), (NotReady.TOO_FEW_COMPARED,)),
        (_report(49, 1), (NotReady.AGREEMENT_TOO_LOW,)),
        (_report(195, 5), ()),
        (_report(200, 0, money=1), (NotReady.MONEY_DIFFERS,)),
        (_report(0, 0), (NotReady.TOO_FEW_COMPARED, NotReady.AGREEMENT_TOO_LOW)),
    ],
    ids=["fifty", "too few", "one other of fifty", "five of two hundred", "money", "nothing"],
)
def test_it_is_ready_when_enough_agrees(report: ShadowReport, why: tuple[NotReady, ...]) -> None:
    assert (report.not_ready, report.ready) == (why, not why)


def test_an_interval_holds_its_share() -> None:
    assert wilson(0, 0) == (0, 1)
    assert wilson(45, 50) == pytest.approx((0.7864, 0.9565), abs=1e-4)
    for trials in range(1, 30):
        for hits in range(trials + 1):
            low, high = wilson(hits, trials)
            assert 0 <= low <= hits / trials <= high <= 1
    with pytest.raises(ValueError, match="between"):
        wilson(2, 1)
