"""The model file: all heads on the same features, trained together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no types

from adapters.brain.features import BUCKETS, RARITY_STEP, FeatureRow
from adapters.brain.safety_features import SAFETY_BUCKETS, safety_rarities, safety_row
from training.class_heads import ClassReport, train_classes
from training.examples import Example, WrittenMessage, digest_of
from training.linear import matrix
from training.safety_heads import SafetyReport, train_safety


@dataclass(frozen=True, slots=True)
class TrainingReport:
    classes: ClassReport
    safety: SafetyReport


def train(
    examples: Sequence[Example], messages: Sequence[WrittenMessage], output: Path
) -> TrainingReport:
    """Fit all heads and write the model to `output`. `messages`: those of the safety heads.

    The same examples give the same file, byte for byte.
    """
    # One thread: the order of a sum, and so its last digit, must not hang on the machine's cores.
    with threadpool_limits(limits=1):
        texts = dict.fromkeys([it.text for it in examples] + [it.text for it in messages])
        rarities = safety_rarities(list(texts))
        rows = {text: safety_row(text, rarities) for text in texts}
        class_rows = matrix([_of_words(rows[it.text]) for it in examples], BUCKETS)
        safety_rows = matrix([rows[it.text] for it in messages], SAFETY_BUCKETS)
        class_arrays, classes = train_classes(class_rows, examples)
        safety_arrays, safety = train_safety(safety_rows, messages)
    np.savez(
        output,
        allow_pickle=False,
        examples=np.array(digest_of(examples, messages)),
        rarities=np.rint(rarities / RARITY_STEP).astype(np.uint8),
        **class_arrays,
        **safety_arrays,
    )
    return TrainingReport(classes, safety)


def _of_words(row: FeatureRow) -> FeatureRow:
    """The part of a row that `row_of` makes."""
    words = row.buckets < BUCKETS
    return FeatureRow(row.buckets[words], row.values[words])
