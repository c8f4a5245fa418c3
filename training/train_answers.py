"""Train the models that select an answer from the knowledge base: `python -m training.train_answers
[output]`.

The models learn from the questions in `training/help/` about the shops in `evaluation/shops/`,
through the product's own search. The command prints the quality of the selected answers for
held-out shops.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from adapters.brain.answer_features import (
    SENTENCE_FEATURES,
    Candidate,
    sentence_features,
)
from adapters.brain.answer_words import AskedQuestion, read_question
from adapters.brain.answers import (
    ANSWER_FEATURES,
    ANSWERS_PATH,
    LinearModel,
    answer_features,
    chosen_places,
)
from adapters.brain.classifier import Classifier
from adapters.brain.features import Floats
from evaluation.help_question import HelpQuestion, training_questions
from evaluation.help_shop import opened_shops

_SENTENCE_C: Final = 0.1
_ANSWER_C: Final = 0.01
_LEAST_SPREAD: Final = 1e-4
_BARS: Final = (0.95, 0.9, 0.88, 0.86, 0.84, 0.82, 0.8, 0.75, 0.7, 0.6, 0.5)


@dataclass(frozen=True, slots=True)
class AnswerExample:
    """A question with the candidate sentences that the search found. `holds`: for each sentence, 1
    if it contains a fact from the correct answer, otherwise 0."""

    asked: HelpQuestion
    question: AskedQuestion
    found: list[Candidate]
    rows: Floats
    holds: Floats


async def examples_of(questions: Sequence[HelpQuestion]) -> list[AnswerExample]:
    """For each question, search its shop's knowledge. Return the questions with the sentences
    found."""
    classifier, examples = Classifier.load(), list[AnswerExample]()
    async with opened_shops(sorted({one.shop for one in questions})) as shops:
        for asked in questions:
            passages = await shops[asked.shop].passages(asked.text)
            language = classifier.classify(asked.text).language
            question = read_question(asked.text)
            near = [one for one in passages if one.language == language and one.similarity]
            found, rows = sentence_features(question, language, near)
            examples.append(
                AnswerExample(
                    asked=asked,
                    question=question,
                    found=found,
                    rows=rows,
                    holds=np.array([_holds(asked, one) for one in found]),
                )
            )
    return examples


def _holds(asked: HelpQuestion, one: Candidate) -> float:
    text = f"{one.sentence.heading} {one.sentence.text}"
    inside = one.passage.id in asked.answered_by
    return float(inside and asked.holds_facts(text, how_many=1))


def fit(rows: Floats, labels: Floats, strength: float, *, balanced: bool) -> LinearModel:
    means = rows.mean(axis=0)
    # A feature that never varies must have no influence.
    spreads = np.where(rows.std(axis=0) < _LEAST_SPREAD, 1.0, rows.std(axis=0))
    model = LogisticRegression(
        C=strength, max_iter=5_000, class_weight="balanced" if balanced else None
    ).fit((rows - means) / spreads, labels)
    return LinearModel(model.coef_[0], float(model.intercept_[0]), means, spreads)


def fit_sentences(examples: Sequence[AnswerExample]) -> LinearModel:
    learned = [one for one in examples if one.holds.any()]
    return fit(
        np.vstack([one.rows for one in learned]),
        np.concatenate([one.holds for one in learned]),
        _SENTENCE_C,
        balanced=True,
    )


def answers_of(examples: Sequence[AnswerExample], model: LinearModel) -> tuple[Floats, Floats]:
    """Return the features of the answer that the model selects for each question, and whether each
    answer is correct (1 or 0)."""
    rows, right = [], []
    for one in examples:
        if not one.found:
            continue
        scores = model.scores(one.rows)
        rows.append(answer_features(one.asked.text, one.question, one.found, one.rows, scores))
        chosen = [one.found[place] for place in chosen_places(one.found, scores)]
        text = "\n".join(f"{it.sentence.heading} {it.sentence.text}" for it in chosen)
        inside = chosen[0].passage.id in one.asked.answered_by
        right.append(float(inside and one.asked.holds_facts(text)))
    return np.array(rows), np.array(right)


def train(examples: Sequence[AnswerExample], output: Path) -> list[str]:
    """Train the model that ranks sentences and the model that rates the selected answer. Write both
    to `output`, and return the lines of the report."""
    parts = [
        (
            [one for one in examples if one.asked.shop != shop],
            [one for one in examples if one.asked.shop == shop],
        )
        for shop in sorted({one.asked.shop for one in examples})
    ]
    # The model that rates answers must learn from realistic answers. Each answer is therefore
    # selected by a ranking model that was trained without the question's shop.
    answered = [answers_of(held, fit_sentences(shown)) for shown, held in parts]
    rows = np.vstack([each for each, _ in answered])
    right = np.concatenate([each for _, each in answered])
    sentence, answer = fit_sentences(examples), fit(rows, right, _ANSWER_C, balanced=False)
    arrays: dict[str, Any] = {
        f"{name}_{part}": np.round(np.asarray(getattr(model, part), dtype=np.float64), 5)
        for name, model in (("sentence", sentence), ("answer", answer))
        for part in ("weights", "bias", "means", "spreads")
    }
    np.savez(output, features=np.array([*SENTENCE_FEATURES, *ANSWER_FEATURES]), **arrays)
    return _report(examples, parts, rows, right)


def _report(
    examples: Sequence[AnswerExample],
    parts: list[tuple[list[AnswerExample], list[AnswerExample]]],
    rows: Floats,
    right: Floats,
) -> list[str]:
    ends = np.cumsum([sum(bool(one.found) for one in held) for _, held in parts])
    odds = np.zeros(len(right))
    for held in range(len(parts)):
        inside = np.zeros(len(right), dtype=bool)
        inside[(ends[held - 1] if held else 0) : ends[held]] = True
        odds[inside] = fit(rows[~inside], right[~inside], _ANSWER_C, balanced=False).scores(
            rows[inside]
        )
    shares = 1 / (1 + np.exp(-odds))
    lines = [f"{len(examples)} questions, {right.mean():.3f} with a right answer chosen"]
    for bar in _BARS:
        sent = shares >= bar
        wrong = int((sent & (right == 0)).sum())
        lines.append(f"at {bar:.2f}: {int(sent.sum())} sent, {wrong} wrong")
    return lines


def main(arguments: Sequence[str]) -> None:
    """Train the answer models on the questions in the repository. `arguments` may contain the path
    of the output file."""
    output = Path(arguments[0]) if arguments else ANSWERS_PATH
    examples = asyncio.run(examples_of(training_questions()))
    sys.stdout.write("\n".join(train(examples, output)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
