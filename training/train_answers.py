"""Train the models that select an answer from the knowledge base:
`python -m training.train_answers [output]`.

They learn from the questions in `training/help/` about the shops in `evaluation/shops/`, through
the product's search. The command prints the quality for held-out shops.
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
from adapters.brain.answer_names import other_product
from adapters.brain.answer_rarity import RARITY_FEATURES, AnsweredTerms
from adapters.brain.answer_words import AskedQuestion, read_question
from adapters.brain.answers import (
    ANSWER_FEATURES,
    LinearModel,
    answer_features,
    answer_file,
    chosen_places,
    fits,
)
from adapters.brain.classifier import Classifier
from adapters.brain.features import Floats
from domain.tenants.answer_decision import LATEST_DECISION
from evaluation.help_question import HelpQuestion, training_questions
from evaluation.help_shop import opened_shops
from training.linear import standardized
from training.rate_answers import RatingModel, SelectedAnswer

_SENTENCE_C: Final = 0.1
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


def fit_sentences(examples: Sequence[AnswerExample]) -> LinearModel:
    """Fit the model that ranks sentences."""
    learned = [one for one in examples if one.holds.any()]
    rows, means, spreads = standardized(np.vstack([one.rows for one in learned]))
    model = LogisticRegression(C=_SENTENCE_C, max_iter=5_000, class_weight="balanced")
    model.fit(rows, np.concatenate([one.holds for one in learned]))
    return LinearModel(model.coef_[0], float(model.intercept_[0]), means, spreads)


def answers_of(examples: Sequence[AnswerExample], model: LinearModel) -> list[SelectedAnswer]:
    """Return the answers that the ranking model selects."""
    answers = []
    for one in examples:
        if not one.found:
            continue
        scores = model.scores(one.rows)
        places = chosen_places(one.found, scores)
        compared = AnsweredTerms.of(one.question, one.found, places)
        chosen = [one.found[place] for place in places]
        text = "\n".join(f"{it.sentence.heading} {it.sentence.text}" for it in chosen)
        inside = chosen[0].passage.id in one.asked.answered_by
        answers.append(
            SelectedAnswer(
                shop=one.asked.shop,
                question=one.question,
                compared=compared,
                row=answer_features(
                    one.asked.text, one.question, one.found, one.rows, scores, compared=compared
                ),
                fits=fits(one.question, one.rows[places[0]])
                and not other_product(one.asked.text, one.found, places[0]),
                right=float(inside and one.asked.holds_facts(text)),
            )
        )
    return answers


def train(examples: Sequence[AnswerExample], output: Path) -> list[str]:
    """Train the model that ranks sentences and the model that rates the selected answer. Write both
    to `output`, and return the lines of the report."""
    shops = sorted({one.asked.shop for one in examples})
    # The model that rates answers must learn from realistic answers. Each answer is therefore
    # selected by a ranking model that was trained without the question's shop.
    answers = [
        answer
        for shop in shops
        for answer in answers_of(
            [one for one in examples if one.asked.shop == shop],
            fit_sentences([one for one in examples if one.asked.shop != shop]),
        )
    ]
    sentence, rating = fit_sentences(examples), RatingModel.fit(answers)
    arrays: dict[str, Any] = {
        f"{name}_{part}": np.round(np.asarray(getattr(model, part), dtype=np.float64), 5)
        for name, model in (("sentence", sentence), ("answer", rating.answer))
        for part in ("weights", "bias", "means", "spreads")
    }
    features = np.array([*SENTENCE_FEATURES, *ANSWER_FEATURES, *RARITY_FEATURES])
    arrays |= rating.arrays()
    np.savez_compressed(output, features=features, **arrays)
    return _report(answers)


def _report(answers: Sequence[SelectedAnswer]) -> list[str]:
    rated: list[tuple[float, SelectedAnswer]] = []
    for shop in sorted({one.shop for one in answers}):
        model = RatingModel.fit([one for one in answers if one.shop != shop])
        held = [one for one in answers if one.shop == shop]
        rated += zip(1 / (1 + np.exp(-model.odds(held))), held, strict=True)
    right = sum(one.right for one in answers) / len(answers)
    lines = [f"{len(answers)} questions, {right:.3f} with a right answer chosen"]
    for bar in _BARS:
        sent = [one for probability, one in rated if one.fits and probability >= bar]
        wrong = sum(not one.right for one in sent)
        lines.append(f"at {bar:.2f}: {len(sent)} sent, {wrong} wrong")
    return lines


def main(arguments: Sequence[str]) -> None:
    """Train the answer models on the questions in the repository. `arguments` may contain the path
    of the output file."""
    output = Path(arguments[0] if arguments else answer_file(LATEST_DECISION))
    examples = asyncio.run(examples_of(training_questions()))
    sys.stdout.write("\n".join(train(examples, output)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
