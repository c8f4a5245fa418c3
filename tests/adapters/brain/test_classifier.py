"""The committed model: its accuracy on held-out messages, and its reproducibility."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.brain.artifact import ModelInvalid
from adapters.brain.classifier import (
    CATEGORIES,
    MODEL_PATH,
    Classification,
    Classifier,
)
from adapters.brain.features import READ_CHARACTERS, fold
from domain.agent.brain import Category
from training.train import (
    EXAMPLES_PATH,
    LANGUAGES,
    Example,
    digest_of,
    expected_calibration_error,
    mood,
    read_examples,
    train,
)

HELD_OUT = Path(__file__).with_name("held_out.csv")
CLASSIFIER = Classifier.load()


@pytest.fixture(scope="module")
def judged() -> list[tuple[Example, Classification]]:
    return [(example, CLASSIFIER.classify(example.text)) for example in read_examples(HELD_OUT)]


def _accuracy(judged: list[tuple[Example, Classification]]) -> float:
    return sum(seen.category is example.category for example, seen in judged) / len(judged)


def test_the_held_out_messages_are_many_balanced_and_new() -> None:
    held_out = read_examples(HELD_OUT)
    shown = {" ".join(fold(example.text).split()) for example in read_examples(EXAMPLES_PATH)}

    assert len(held_out) >= 150
    for language in LANGUAGES:
        for category in CATEGORIES:
            assert sum((e.language, e.category) == (language, category) for e in held_out) >= 12
    assert not [e.text for e in held_out if " ".join(fold(e.text).split()) in shown]


def test_every_class_has_sixty_examples_in_each_language() -> None:
    examples = read_examples(EXAMPLES_PATH)

    for language in LANGUAGES:
        for category in CATEGORIES:
            assert sum((e.language, e.category) == (language, category) for e in examples) >= 60


def test_the_category_is_mostly_right(judged: list[tuple[Example, Classification]]) -> None:
    assert _accuracy(judged) >= 0.92
    for language in LANGUAGES:
        assert _accuracy([pair for pair in judged if pair[0].language == language]) >= 0.90


def test_the_language_is_nearly_always_right(
    judged: list[tuple[Example, Classification]],
) -> None:
    assert sum(s.language == e.language for e, s in judged) / len(judged) >= 0.95


def test_the_probabilities_mean_what_they_say(
    judged: list[tuple[Example, Classification]],
) -> None:
    stated = np.array([[seen.probabilities[c] for c in CATEGORIES] for _, seen in judged])
    labels = np.array([CATEGORIES.index(example.category) for example, _ in judged])

    assert expected_calibration_error(stated, labels) <= 0.06


def test_the_mood_is_mostly_right(judged: list[tuple[Example, Classification]]) -> None:
    for language in LANGUAGES:
        known = [(e, s) for e, s in judged if e.language == language]
        right = sum(mood(seen.sentiment) == example.sentiment for example, seen in known)
        assert right / len(known) >= 0.85


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ("negative", "C'est inadmissible, j'attends depuis trois semaines sans réponse !"),
        ("negative", "Ça fait trois fois que je vous écris, j'en ai marre."),
        ("negative", "Colis perdu et aucune nouvelle, c'est lamentable"),
        ("negative", "Je ne suis pas contente du tout"),
        ("positive", "Je suis ravie de ma commande, tout est parfait."),
        ("positive", "Vous êtes au top !"),
        ("neutral", "Bonjour, où en est ma commande 1042 ?"),
        ("neutral", "Je souhaite être remboursée de ma commande n° 1043 s'il vous plaît."),
        ("neutral", "Je n'ai pas reçu mon colis."),
    ],
)
def test_the_mood_of_plain_french(named: str, text: str) -> None:
    assert mood(CLASSIFIER.classify(text).sentiment) == named


def test_a_sure_class_is_rarely_wrong(judged: list[tuple[Example, Classification]]) -> None:
    """Messages above the default threshold are answered without review, so their share and accuracy
    must be high."""
    sure = [pair for pair in judged if max(pair[1].probabilities.values()) >= 0.7]

    assert len(sure) >= len(judged) * 0.6
    assert _accuracy(sure) >= 0.95


def test_the_committed_model_is_of_the_committed_examples() -> None:
    """Training on all examples takes minutes: run `python -m training.train` after each change."""
    with np.load(MODEL_PATH, allow_pickle=False) as model:
        assert str(model["examples"]) == digest_of(read_examples(EXAMPLES_PATH))


def test_the_same_examples_make_the_same_file(tmp_path: Path) -> None:
    some = read_examples(EXAMPLES_PATH)[::12]

    report = train(some, tmp_path / "one.npz")
    train(some, tmp_path / "two.npz")

    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert report.examples == len(some)
    assert min(report.accuracy.values()) >= 0.6  # a twelfth of the examples


def test_calibration_error_of_known_cases() -> None:
    sure = np.array([[1.0, 0.0], [1.0, 0.0]])

    assert expected_calibration_error(sure, np.array([0, 0])) == 0
    assert expected_calibration_error(sure, np.array([0, 1])) == pytest.approx(0.5)
    assert expected_calibration_error(sure, np.array([1, 1])) == pytest.approx(1)


def test_a_sentiment_has_a_name() -> None:
    assert [mood(value) for value in (-1, -0.2, -0.1, 0, 0.19, 0.2, 1)] == [
        *("negative", "negative", "neutral", "neutral", "neutral", "positive", "positive")
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Où est ma commande ?", "OU EST MA COMMANDE ?"),
        ("commande 123 expédiée", "commande 98765 expédiée"),
        ("voir https://a.example/x merci", "voir http://b.example/y?z=1 merci"),
        ("Où est-elle ?", "Où est-elle ?\n\nCordialement,\nA. Petit\n3 rue du Lac\n06 11 22 33 44"),
        (
            "still nothing",
            "still nothing\n\nOn 4 Apr 2024, at 10:12, Shop <a@b.example> wrote:\n> Refunded.",
        ),
    ],
)
def test_writing_habits_numbers_signatures_and_quotes_do_not_matter(one: str, other: str) -> None:
    first, second = CLASSIFIER.classify(one), CLASSIFIER.classify(other)
    assert second.language_probability == pytest.approx(first.language_probability, abs=0.01)
    assert replace(second, language_probability=first.language_probability) == first


def test_only_the_start_of_a_long_text_is_read() -> None:
    start = ("where is my order? " * READ_CHARACTERS)[:READ_CHARACTERS]

    assert CLASSIFIER.classify(start) == CLASSIFIER.classify(start + " remboursement " * 999)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=3_000))
def test_any_text_has_a_classification(text: str) -> None:
    seen = CLASSIFIER.classify(text)

    assert set(seen.probabilities) == set(Category)
    assert all(0 <= share <= 1 for share in seen.probabilities.values())
    assert sum(seen.probabilities.values()) == pytest.approx(1)
    assert seen.probabilities[seen.category] == max(seen.probabilities.values())
    assert 0.5 <= seen.language_probability <= 1
    assert -1 <= seen.sentiment <= 1


@pytest.mark.parametrize("text", ["\ud800 lone", "\x00", "ﷺ" * 9_000, "e\u0301" * 9_000, "😀"])
def test_odd_text_is_read(text: str) -> None:
    assert CLASSIFIER.classify(text).category in CATEGORIES
    assert len(fold(text)) <= READ_CHARACTERS


def _stored() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    with np.load(MODEL_PATH, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _without_bias() -> bytes:
    arrays = _stored()
    del arrays["category_bias"]
    return _packed(arrays)


def _of_another_shape() -> bytes:
    arrays = _stored()
    return _packed(arrays | {"sentiment_weights": arrays["sentiment_weights"][:, :-1]})


def _of_other_categories() -> bytes:
    return _packed(_stored() | {"categories": np.array(list("abcdef"))})


def _without_heat() -> bytes:
    return _packed(_stored() | {"category_temperature": np.zeros(())})


def _with_pickled_objects() -> bytes:
    content = io.BytesIO()
    arrays = _stored() | {"categories": np.array([object()])}
    np.savez(content, allow_pickle=True, **arrays)
    return content.getvalue()


def _packed(arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> bytes:
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    return content.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        lambda: b"",
        lambda: b"PK not really",
        lambda: MODEL_PATH.read_bytes()[:5_000],
        _without_bias,
        _of_another_shape,
        _of_other_categories,
        _without_heat,
        _with_pickled_objects,
    ],
)
def test_another_file_is_refused(content: Callable[[], bytes], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content())

    with pytest.raises(ModelInvalid):
        Classifier.load(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        Classifier.load(tmp_path / "none.npz")


@pytest.mark.parametrize(
    "row",
    [
        ("de", "other", "neutral", "hallo"),
        ("fr", "none", "neutral", "a"),
        ("fr", "other", "cross", "a"),
        ("fr", "other", "neutral", ""),
    ],
)
def test_a_bad_example_stops_the_training(row: tuple[str, str, str, str], tmp_path: Path) -> None:
    path = tmp_path / "examples.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("language", "category", "sentiment", "text"), row])

    with pytest.raises(ValueError, match="not a"):
        read_examples(path)
