"""The targets that a brain must reach."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from evaluation.contestant import Contestant
from evaluation.figure import HandFigure
from evaluation.message import LANGUAGES, Tone
from evaluation.score import Score, together
from evaluation.sealing import SetPart

LEAST_ACCURACY: Final = 0.88
MOST_CALIBRATION_ERROR: Final = 0.06
LEAST_TONE_ACCURACY: Final = 0.80
BELOW_MS: Final = 5.0
BELOW_BYTES: Final = 5_000_000


@dataclass(frozen=True, slots=True)
class Aim:
    text: str
    reached: str
    met: bool


def aims(contestant: Contestant, score: Score, figures: Iterable[HandFigure]) -> tuple[Aim, ...]:
    """Return every target with its result. Speed and size have targets only for a brain that we
    ship."""
    return (
        *_of_answers(score),
        *_of_model(contestant, score),
        *(_of_figure(figure) for figure in figures if figure.aim),
    )


def _of_figure(figure: HandFigure) -> Aim:
    """Return a metric's target, with the results on the open part and, if available, on the sealed
    part."""
    reached = ", ".join(
        f"{share.right}/{share.total} {part}"
        for part, share in figure.shares.items()
        if part is not SetPart.BOTH
    )
    return Aim(f"{figure.of}: {figure.text} {figure.aim}", reached, figure.met)


def _of_answers(score: Score) -> Iterator[Aim]:
    accuracy = together(score.accuracy.values()).value
    yield Aim(f"accuracy ≥ {LEAST_ACCURACY}", f"{accuracy:.3f}", accuracy >= LEAST_ACCURACY)
    error = score.calibration_error
    yield Aim(
        f"calibration error ≤ {MOST_CALIBRATION_ERROR}",
        f"{error:.3f}",
        error <= MOST_CALIBRATION_ERROR,
    )
    for language in LANGUAGES:
        tone = together(score.tones[language, tone] for tone in Tone).value
        yield Aim(
            f"sentiment accuracy ≥ {LEAST_TONE_ACCURACY:.2f}, {language}",
            f"{tone:.3f}",
            tone >= LEAST_TONE_ACCURACY,
        )


def _of_model(contestant: Contestant, score: Score) -> Iterator[Aim]:
    if contestant.model_bytes is None:
        return
    yield Aim(
        f"a message < {BELOW_MS:.0f} ms (median)",
        f"{score.median_ms:.2f} ms",
        score.median_ms < BELOW_MS,
    )
    yield Aim(
        f"model files < {BELOW_BYTES / 1_000_000:.0f} MB",
        f"{contestant.model_bytes / 1_000_000:.2f} MB",
        contestant.model_bytes < BELOW_BYTES,
    )
