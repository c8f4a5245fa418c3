"""Describe a threshold's effect on past runs, in French and English."""

from domain.learning.threshold_advice import ThresholdPoint


def in_english(point: ThresholdPoint) -> str:
    """Return an English sentence such as "0.78 would send 41 of the last 200 to review and avoid 3
    of 4 edits"."""
    runs = point.reviewed + point.alone
    said = (
        f"{point.threshold:.2f} would send {point.reviewed} of the last {runs} to review and avoid "
        f"{point.edits_caught} of {_counted(point.edits, 'edit')} and "
        f"{point.rejections_caught} of {_counted(point.rejections, 'rejection')}."
    )
    known = point.alone - point.unknown
    if known:
        said += (
            f" Of {known} that it would send alone, people would have corrected "
            f"{_between(point, 'to')}."
        )
    if point.unknown:
        said += f" For {point.unknown} that it would send alone, too little is known to say."
    return said


def in_french(point: ThresholdPoint) -> str:
    """Return the French equivalent of the sentence that `in_english` returns."""
    runs = point.reviewed + point.alone
    threshold = f"{point.threshold:.2f}".replace(".", ",")
    said = (
        f"{threshold} enverrait {point.reviewed} des {runs} derniers en relecture et éviterait "
        f"{point.edits_caught} sur {_counted(point.edits, 'correction')} et "
        f"{point.rejections_caught} sur {_counted(point.rejections, 'rejet')}."
    )
    known = point.alone - point.unknown
    if known:
        said += (
            f" Parmi {known} envoyés sans relecture, il en aurait fallu corriger "
            f"{_between(point, 'à')}."
        )
    if point.unknown:
        said += f" Pour {point.unknown} envoyés sans relecture, on en sait trop peu."
    return said


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _between(point: ThresholdPoint, to: str) -> str:
    if point.wrong_low == point.wrong_high:
        return str(point.wrong_low)
    return f"{point.wrong_low} {to} {point.wrong_high}"
