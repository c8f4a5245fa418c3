"""Measure the accuracy of a client's own classifier head: `python -m evaluation.own_head`.

Each round scores the head on a held-out quarter of the tickets. The exit code is 1 if the gain
misses the target.
"""

import asyncio
import sys

from rich.console import Console

from adapters.brain.classifier import Classifier
from evaluation.own_head.shop_trial import SURE, read_lessons, score_shop

_TAUGHT = (100, 200, 400)
_AIM = 0.05


async def _show(console: Console) -> bool:
    classifier, lessons = Classifier.load(), read_lessons()
    gained = 0.0
    for taught in _TAUGHT:
        score, held_back = await score_shop(classifier, lessons, taught)
        shared, own = score.shared_right / score.tickets, score.own_right / score.tickets
        gained = own - shared
        console.print(f"{taught} tickets: {shared:.3f} shared, {own:.3f} own", highlight=False)
        console.print(
            f"  held back by the trial itself: {held_back.shared_accuracy:.3f} and "
            f"{held_back.own_accuracy:.3f}",
            highlight=False,
        )
        for name, (sure, right) in (("shared", score.sure_shared), ("own", score.sure_own)):
            console.print(
                f"  at p >= {SURE}, {name}: {sure / score.tickets:.2f} of all, "
                f"{right / max(sure, 1):.3f} right",
                highlight=False,
            )
    return gained >= _AIM


def main() -> None:
    sys.exit(0 if asyncio.run(_show(Console())) else 1)


if __name__ == "__main__":
    main()
