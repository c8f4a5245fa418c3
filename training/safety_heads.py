"""The heads of the safety net: whether a message is sensitive, and in which matter.

They learn from `sensitive.csv` and the open evaluation set, whose messages were written to be
sensitive or only to sound so, and from the classifier's examples, which are neither but for a few
that the grammar holds. A writer words all messages alike, so the threshold is chosen on whole
writers who were left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from adapters.brain.features import Floats, Numbers
from adapters.brain.safety_net import MATTERS, NEVER_RELEASED
from domain.agent.safety.net import sensitive_matter
from training.examples import EVERYBODY, WrittenMessage
from training.linear import ROUGH_TOLERANCE, fit

# There are ten times as many ordinary messages: without this the few would hardly count.
SENSITIVE_COUNTS: Final = 10.0
MOST_LOOKALIKES_HELD: Final = 0.04
# What they are held out of is full of odd stories: of others' messages it is half as many.
MOST_ORDINARY_HELD: Final = 0.02
# Of sensitive messages that the grammar holds.
MOST_RELEASED: Final = 0.02
THRESHOLDS: Final = tuple(step / 16 for step in range(-128, 129))


@dataclass(frozen=True, slots=True)
class SafetyReport:
    """Shares, measured on writers the judging model never saw. `recall` and `lookalikes`: by
    writer, of both signals together. `added`: what the learned one finds of the sensitive messages
    that the grammar lets through. `ordinary`: of ordinary messages that the grammar lets through.
    `right_matter`: of the sensitive messages above the threshold."""

    threshold: float
    released: float
    recall: Mapping[str, float]
    lookalikes: Mapping[str, float]
    added: Mapping[str, float]
    ordinary: float
    right_matter: float

    @property
    def lines(self) -> list[str]:
        lines = [f"sensitive: held above {self.threshold}, let go at {self.released}"]
        lines += [
            f"writer {writer} left out: recall {share:.3f} "
            f"(of what the grammar misses {self.added.get(writer, 1):.3f}), "
            f"look-alikes held {self.lookalikes.get(writer, 0):.3f}"
            for writer, share in self.recall.items()
        ]
        lines.append(f"ordinary messages held {self.ordinary:.4f}")
        lines.append(f"the right matter {self.right_matter:.3f}")
        return lines


@dataclass(frozen=True, slots=True)
class _Judged:
    """Of each message: its writer, the place of its matter or -1, whether the grammar holds it,
    and what a model says that was not shown its writer."""

    writers: NDArray[np.str_]
    matters: Numbers
    named: NDArray[np.bool_]
    scores: Floats
    guesses: Numbers

    @property
    def real(self) -> NDArray[np.bool_]:
        return self.matters >= 0

    @property
    def harmful(self) -> NDArray[np.bool_]:
        """Where a person may come to harm: never let go."""
        never = [MATTERS.index(matter) for matter in NEVER_RELEASED]
        return np.isin(self.matters, never)

    @property
    def ordinary(self) -> NDArray[np.bool_]:
        return cast("NDArray[np.bool_]", self.writers == EVERYBODY)


def train_safety(
    rows: csr_matrix, messages: Sequence[WrittenMessage]
) -> tuple[dict[str, NDArray[np.generic]], SafetyReport]:
    """Fit both heads and choose the thresholds. `rows`: one a message."""
    writers = np.array([message.writer for message in messages])
    matters = np.array(
        [-1 if message.matter is None else MATTERS.index(message.matter) for message in messages]
    )
    counts = np.where(writers == EVERYBODY, 1.0, SENSITIVE_COUNTS)
    named = np.array([sensitive_matter(message.text) is not None for message in messages])
    judged = _Judged(writers, matters, named, *_held_out(rows, matters, writers, counts))
    threshold, released = _threshold(judged), _released(judged)
    real = judged.real
    arrays: dict[str, NDArray[np.generic]] = {
        "matters": np.array([str(matter) for matter in MATTERS]),
        "threshold": np.array(threshold),
        "released": np.array(released),
        **fit(rows, real.astype(np.int64), counts).arrays("held"),
        **fit(rows[np.flatnonzero(real)], matters[real]).arrays("matter"),
    }
    return arrays, _reported(judged, threshold, released)


def _held_out(
    rows: csr_matrix, matters: Numbers, writers: NDArray[np.str_], counts: Floats
) -> tuple[Floats, Numbers]:
    """Each message's score and its likeliest matter, from models that were shown neither its
    writer nor, of ordinary messages, its part of them."""
    named = [writer for writer in np.unique(writers) if writer != EVERYBODY]
    ordinary = np.flatnonzero(writers == EVERYBODY)
    part = np.full(len(writers), -1)
    part[ordinary] = np.arange(len(ordinary)) % len(named)
    scores, guesses = np.zeros(len(writers)), np.zeros(len(writers), dtype=np.int64)
    for number, writer in enumerate(named):
        left_out = (writers == writer) | (part == number)
        shown = ~left_out
        real = (matters >= 0).astype(np.int64)
        model = fit(rows[shown], real[shown], counts[shown], ROUGH_TOLERANCE)
        scores[left_out] = model.logits(rows[left_out])[:, 0]
        known = shown & (matters >= 0)
        kinds = fit(rows[known], matters[known], tolerance=ROUGH_TOLERANCE)
        guesses[left_out] = kinds.logits(rows[left_out]).argmax(axis=1)
    return scores, guesses


def _threshold(judged: _Judged) -> float:
    """The lowest that holds no more look-alikes and ordinary messages than it may."""
    harmless = judged.scores[~judged.real & ~judged.ordinary & ~judged.named]
    ordinary = judged.scores[judged.ordinary]
    return next(
        threshold
        for threshold in THRESHOLDS
        if (harmless > threshold).mean() <= MOST_LOOKALIKES_HELD
        and (ordinary > threshold).mean() <= MOST_ORDINARY_HELD
    )


def _released(judged: _Judged) -> float:
    """The highest that lets go no more sensitive messages than it may, of those that may be."""
    sensitive = judged.scores[judged.real & judged.named & ~judged.harmful]
    return next(
        threshold
        for threshold in reversed(THRESHOLDS)
        if (sensitive <= threshold).mean() <= MOST_RELEASED
    )


def _reported(judged: _Judged, threshold: float, released: float) -> SafetyReport:
    real, above = judged.real, judged.scores > threshold
    held = np.where(judged.named, judged.harmful | (judged.scores > released), above)
    by = {
        str(writer): judged.writers == writer
        for writer in np.unique(judged.writers)
        if writer != EVERYBODY
    }
    return SafetyReport(
        threshold=threshold,
        released=released,
        recall={writer: float(held[real & own].mean()) for writer, own in by.items()},
        lookalikes={
            writer: float(held[~real & own].mean())
            for writer, own in by.items()
            if (~real & own).any()
        },
        added={
            writer: float(above[real & own & ~judged.named].mean())
            for writer, own in by.items()
            if (real & own & ~judged.named).any()
        },
        ordinary=float(above[judged.ordinary].mean()),
        right_matter=float((judged.guesses == judged.matters)[above & real].mean()),
    )
