"""Compare a client's own classifier head and the shared head on an invented shop's tickets."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from adapters.brain.classifier import Classifier
from adapters.brain.own_head_fit import OwnHeadFitter
from domain.agent.brain import Category
from domain.agent.own_head import OwnHead
from domain.learning.own_head_trial import HeldBackCount, Lesson

PATH: Final = Path(__file__).with_name("caisses.csv")
PARTS: Final = 4
SURE: Final = 0.7
_FIRST_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ShopScore:
    """Counts on tickets that were not used to fit the client's own head.

    `sure_shared` and `sure_own` contain the tickets classified with a probability of at least
    `SURE`, and how many of them are right.
    """

    tickets: int
    shared_right: int
    own_right: int
    sure_shared: tuple[int, int]
    sure_own: tuple[int, int]


def read_lessons(path: Path = PATH) -> list[Lesson]:
    """Return the lessons in file order, dated one day apart."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Lesson(
                f"{number:026d}",
                row["text"],
                Category(row["category"]),
                _FIRST_DAY + timedelta(days=number),
            )
            for number, row in enumerate(csv.DictReader(file))
        ]


async def score_shop(
    classifier: Classifier, lessons: Sequence[Lesson], taught: int
) -> tuple[ShopScore, HeldBackCount]:
    """Score the shop's own head on each quarter of the tickets, fitted on up to `taught` of the
    others.

    The shared head replaces it if its trial fails. Return the score, and the trials' counts over
    all quarters.
    """
    fitter, counts, trials = OwnHeadFitter(classifier), [], []
    for part in range(PARTS):
        apart = list(lessons[part::PARTS])
        rest = [one for number, one in enumerate(lessons) if number % PARTS != part]
        tried = await fitter.tried(rest[:taught])
        own = classifier
        if tried.weights is not None:
            head = OwnHead(version="", model=classifier.fingerprint, weights=tried.weights)
            own = classifier.taught(head)
        counts.append([_outcome(classifier, own, one) for one in apart])
        trials.append(tried.held_back)
    totals = np.array([line for part in counts for line in part]).sum(axis=0).tolist()
    return (
        ShopScore(
            tickets=len(lessons),
            shared_right=totals[0],
            own_right=totals[1],
            sure_shared=(totals[2], totals[3]),
            sure_own=(totals[4], totals[5]),
        ),
        HeldBackCount(
            tickets=sum(one.tickets for one in trials),
            won=sum(one.won for one in trials),
            lost=sum(one.lost for one in trials),
            both_right=sum(one.both_right for one in trials),
        ),
    )


def _outcome(shared: Classifier, own: Classifier, one: Lesson) -> tuple[bool, ...]:
    first, second = shared.classify(one.text), own.classify(one.text)
    right = [it.category is one.classification for it in (first, second)]
    sure = [it.probability >= SURE for it in (first, second)]
    return (*right, sure[0], sure[0] and right[0], sure[1], sure[1] and right[1])
