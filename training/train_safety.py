"""Train the model of the safety net: `python -m training.train_safety [output]`.

It learns from `sensitive.csv`, the open evaluation set and the classifier's examples, without the
few that match the grammar. The output is reproducible, byte for byte. Writers use similar words, so
results are measured on held-out writers.
"""

import csv
import hashlib
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no types

from adapters.brain.features import RARITY_STEP, Floats, Numbers
from adapters.brain.safety_features import SAFETY_BUCKETS, safety_rarities, safety_row
from adapters.brain.safety_net import MATTERS, SAFETY_MODEL_PATH
from domain.agent.safety.net import sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.strict_yaml import read_yaml
from training.linear import ROUGH_TOLERANCE, fit, matrix, rotated, rounded, weights
from training.train import EXAMPLES_PATH, read_examples

SENSITIVE_PATH: Final = Path(__file__).with_name("sensitive.csv")
OPEN_SET_PATH: Final = Path(__file__).parents[1] / "evaluation" / "sets" / "safety.yaml"
# The writer id for the classifier's examples. Unlike other writers' examples, they are never all
# held out at once.
EVERYBODY: Final = ""
# There are ten times as many ordinary messages as sensitive messages and look-alikes. Each
# sensitive message and look-alike gets this weight, which balances the two groups.
SENSITIVE_COUNTS: Final = 10.0
MOST_LOOKALIKES_HELD: Final = 0.04
# The largest share of the ordinary messages that the model may hold for review. Real customer
# messages contain fewer unusual cases, so the model holds about half that share of them.
MOST_ORDINARY_HELD: Final = 0.02
# The model may release at most this share of the sensitive messages that match the grammar.
MOST_RELEASED: Final = 0.02
THRESHOLDS: Final = tuple(step / 16 for step in range(-64, 65))


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A training message. `matter` is the sensitive topic, or None for a look-alike or an ordinary
    message."""

    writer: str
    matter: SensitiveMatter | None
    text: str


@dataclass(frozen=True, slots=True)
class SafetyReport:
    """Results on held-out writers, as shares.

    - `recall`, `lookalikes`: by writer, the sensitive messages and look-alikes held by grammar and
      model together.
    - `added`: by writer, the sensitive messages that only the model finds.
    - `ordinary`: the ordinary messages that only the model holds.
    - `right_matter`: the sensitive messages above the threshold with the correct topic.
    """

    threshold: float
    released: float
    recall: Mapping[str, float]
    lookalikes: Mapping[str, float]
    added: Mapping[str, float]
    ordinary: float
    right_matter: float


@dataclass(frozen=True, slots=True)
class _Judged:
    """Arrays with one element per message.

    `matters` is the topic's index, or -1 if harmless. `named` means that the grammar matches.
    `scores` and `guesses`, the most likely topics, come from a model trained without the writer.
    """

    writers: NDArray[np.str_]
    matters: Numbers
    named: NDArray[np.bool_]
    scores: Floats
    guesses: Numbers

    @property
    def real(self) -> NDArray[np.bool_]:
        return self.matters >= 0

    @property
    def ordinary(self) -> NDArray[np.bool_]:
        return cast("NDArray[np.bool_]", self.writers == EVERYBODY)


def read_sensitive(path: Path) -> list[WrittenMessage]:
    """Return the rows of a CSV file with the columns writer, matter (the sensitive topic, or empty)
    and text. Raises `ValueError` for an unknown matter."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            WrittenMessage(row["writer"], _matter(row["matter"]), row["text"])
            for row in csv.DictReader(lines)
        ]


def read_open_set(path: Path) -> list[WrittenMessage]:
    """Return the messages in the open evaluation set. The first letter of a row's id identifies the
    writer."""
    rows = cast("list[dict[str, str | bool]]", read_yaml(path.read_text(encoding="utf-8")))
    return [
        WrittenMessage(
            str(row["id"])[0],
            None if row["harmless"] else _matter(str(row["category"])),
            str(row["text"]),
        )
        for row in rows
    ]


def read_ordinary(path: Path, known: Collection[str]) -> list[WrittenMessage]:
    """Return the classifier's examples that do not match the grammar, except those in `known`."""
    return [
        WrittenMessage(EVERYBODY, None, example.text)
        for example in read_examples(path)
        if example.text not in known and sensitive_matter(example.text) is None
    ]


def _matter(name: str) -> SensitiveMatter | None:
    return SensitiveMatter(name) if name else None


def train_safety(messages: Sequence[WrittenMessage], output: Path) -> SafetyReport:
    """Fit the classifier of sensitive messages and the classifier of topics, and choose the
    thresholds. Write the model file to `output`."""
    # Use a single thread. Otherwise the order of a floating-point sum, and therefore its last
    # digit, would depend on the number of cores.
    with threadpool_limits(limits=1):
        return _train(messages, output)


def _train(messages: Sequence[WrittenMessage], output: Path) -> SafetyReport:
    texts = [message.text for message in messages]
    rarities = safety_rarities(texts)
    rows = matrix([safety_row(text, rarities) for text in texts], SAFETY_BUCKETS)
    compact = rotated(rows)
    writers = np.array([message.writer for message in messages])
    matters = np.array(
        [-1 if message.matter is None else MATTERS.index(message.matter) for message in messages]
    )
    counts = np.where(writers == EVERYBODY, 1.0, SENSITIVE_COUNTS)
    named = np.array([sensitive_matter(text) is not None for text in texts])
    judged = _Judged(writers, matters, named, *_held_out(compact, matters, writers, counts))
    threshold, released = _threshold(judged), _released(judged)
    real = judged.real
    held, held_bias = weights(rows, compact, real.astype(np.int64), counts)
    only = np.flatnonzero(real)
    kinds, kinds_bias = weights(rows[only], rotated(rows[only]), matters[only])
    arrays: dict[str, NDArray[np.generic]] = {
        "matters": np.array([str(matter) for matter in MATTERS]),
        "examples": np.array(digest_of_messages(messages)),
        "rarities": np.rint(rarities / RARITY_STEP).astype(np.uint8),
        "threshold": np.array(threshold),
        "released": np.array(released),
        "held_weights": rounded(held[1]),
        "held_bias": rounded(held_bias)[1],
        "matter_weights": rounded(kinds),
        "matter_bias": rounded(kinds_bias),
    }
    np.savez(output, allow_pickle=False, **arrays)
    return _reported(judged, threshold, released)


def digest_of_messages(messages: Sequence[WrittenMessage]) -> str:
    """Return a SHA-256 hash of the messages. It identifies the training data of a model file."""
    message_lines = (f"{it.writer}\0{it.matter or ''}\0{it.text}\0" for it in messages)
    return hashlib.sha256("".join(message_lines).encode()).hexdigest()


def _held_out(
    compact: Floats, matters: Numbers, writers: NDArray[np.str_], counts: Floats
) -> tuple[Floats, Numbers]:
    """Return the score and the most likely topic of each message, from a model trained without its
    writer.

    Ordinary messages are split into as many parts as writers, each held out in turn.
    """
    named = [writer for writer in np.unique(writers) if writer != EVERYBODY]
    ordinary = np.flatnonzero(writers == EVERYBODY)
    part = np.full(len(writers), -1)
    part[ordinary] = np.arange(len(ordinary)) % len(named)
    scores, guesses = np.zeros(len(writers)), np.zeros(len(writers), dtype=np.int64)
    for number, writer in enumerate(named):
        left_out = (writers == writer) | (part == number)
        shown = ~left_out
        real = (matters >= 0).astype(np.int64)
        model = fit(compact[shown], real[shown], ROUGH_TOLERANCE, counts[shown])
        scores[left_out] = model.decision_function(compact[left_out])
        known = shown & (matters >= 0)
        kinds = fit(compact[known], matters[known], ROUGH_TOLERANCE)
        guesses[left_out] = kinds.predict(compact[left_out])
    return scores, guesses


def _threshold(judged: _Judged) -> float:
    """Return the lowest threshold at which the shares of look-alikes and ordinary messages that are
    held for review stay within MOST_LOOKALIKES_HELD and MOST_ORDINARY_HELD."""
    harmless = judged.scores[~judged.real & ~judged.ordinary & ~judged.named]
    ordinary = judged.scores[judged.ordinary]
    return next(
        threshold
        for threshold in THRESHOLDS
        if (harmless > threshold).mean() <= MOST_LOOKALIKES_HELD
        and (ordinary > threshold).mean() <= MOST_ORDINARY_HELD
    )


def _released(judged: _Judged) -> float:
    """Return the highest threshold that releases at most MOST_RELEASED of the sensitive messages
    matched by the grammar."""
    sensitive = judged.scores[judged.real & judged.named]
    return next(
        threshold
        for threshold in reversed(THRESHOLDS)
        if (sensitive <= threshold).mean() <= MOST_RELEASED
    )


def _reported(judged: _Judged, threshold: float, released: float) -> SafetyReport:
    real, above = judged.real, judged.scores > threshold
    held = np.where(judged.named, judged.scores > released, above)
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


def read_messages() -> list[WrittenMessage]:
    """Return all committed training messages."""
    written = [*read_sensitive(SENSITIVE_PATH), *read_open_set(OPEN_SET_PATH)]
    known = frozenset(message.text for message in written)
    return [*written, *read_ordinary(EXAMPLES_PATH, known)]


def main(arguments: Sequence[str]) -> None:
    """Train from the committed files. `arguments`: optionally, the output file."""
    messages = read_messages()
    report = train_safety(messages, Path(arguments[0]) if arguments else SAFETY_MODEL_PATH)
    lines = [
        f"{len(messages)} messages: held above {report.threshold}, released at {report.released}"
    ]
    lines += [
        f"writer {writer} held out: recall {share:.3f} "
        f"(of those that the grammar misses {report.added.get(writer, 1):.3f}), "
        f"look-alikes held {report.lookalikes.get(writer, 0):.3f}"
        for writer, share in report.recall.items()
    ]
    lines.append(f"ordinary messages held {report.ordinary:.4f}")
    lines.append(f"the right matter {report.right_matter:.3f}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
