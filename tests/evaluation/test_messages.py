"""The test set: large and balanced, without duplicates or training examples."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from domain.agent.brain import Category
from domain.core.text import fold
from evaluation.message import LANGUAGES, LabelledMessage, MessageKind, Tone, read_messages
from training.train import EXAMPLES_PATH, read_examples

MESSAGES = read_messages()
TRICKY = frozenset(MessageKind) - {MessageKind.PLAIN, MessageKind.LONG}


def _words(text: str) -> frozenset[str]:
    """Return the words without numbers: a sentence about another order counts as the same."""
    return frozenset(re.findall(r"[a-z]+", fold(text)))


def _near_duplicates(texts: list[str]) -> list[tuple[str, str]]:
    worded = [(text, _words(text)) for text in texts]
    return [
        (one, other)
        for (one, left), (other, right) in combinations(worded, 2)
        if len(left & right) > 0.8 * len(left | right)
    ]


def test_there_are_enough_of_everything() -> None:
    assert len(MESSAGES) >= 640
    for language in LANGUAGES:
        assert sum(m.language == language for m in MESSAGES) >= 300
        for category in Category:
            assert sum((m.language, m.category) == (language, category) for m in MESSAGES) >= 45
    tones = Counter(message.tone for message in MESSAGES)
    assert min(tones[tone] for tone in Tone) >= 120
    kinds = Counter(message.kind for message in MESSAGES)
    assert min(kinds[kind] for kind in TRICKY) >= 35
    assert kinds[MessageKind.LONG] >= 20


def test_no_two_messages_are_alike() -> None:
    assert _near_duplicates([message.text for message in MESSAGES]) == []


def test_another_number_or_accent_makes_no_new_message() -> None:
    pair = ["Où est ma commande 12 ?", "ou est ma commande 99"]
    assert _near_duplicates([*pair, "Je veux être remboursé"]) == [(pair[0], pair[1])]


def test_no_message_was_trained_on() -> None:
    trained = {_words(example.text) for example in read_examples(EXAMPLES_PATH)}
    assert [m.text for m in MESSAGES if _words(m.text) in trained] == []


@pytest.mark.parametrize(
    "kind", [MessageKind.CAPITALS, MessageKind.NO_ACCENTS, MessageKind.QUOTED_MAIL]
)
def test_a_message_is_of_its_kind(kind: MessageKind) -> None:
    for message in (m for m in MESSAGES if m.kind is kind):
        text = message.text
        if kind is MessageKind.CAPITALS:
            assert text == text.upper(), text
        elif kind is MessageKind.NO_ACCENTS:
            assert message.language == "fr"
            assert re.search("[À-ÿ]", text) is None, text
        else:
            assert len(message.request.text) < len(text) / 2, text


def test_what_is_not_the_customers_words_never_reaches_the_brain() -> None:
    read = {kind: [m.request.text for m in MESSAGES if m.kind is kind] for kind in MessageKind}
    for text in read[MessageKind.QUOTED_MAIL]:
        assert re.search(r"(?m)^>|wrote:|a écrit :|^(?:De|From) ?:|<div|<p>", text) is None, text
    for text in read[MessageKind.SIGNATURE]:
        assert re.search(r"(?m)^-- ?$|^Sent from|^Envoyé de", text) is None, text
    assert all(text for texts in read.values() for text in texts)


@pytest.mark.parametrize(
    "row",
    [
        ("de", "other", "neutral", "plain", "hallo"),
        ("fr", "none", "neutral", "plain", "a"),
        ("fr", "other", "glad", "plain", "a"),
        ("fr", "other", "neutral", "verse", "a"),
        ("fr", "other", "neutral", "plain", " "),
    ],
)
def test_a_bad_row_is_told(row: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "messages.csv"
    path.write_text(f"language,category,sentiment,kind,text\n{','.join(row)}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not a"):
        read_messages(path)


def _plain(text: str) -> LabelledMessage:
    return LabelledMessage("fr", Category.OTHER, Tone.NEUTRAL, MessageKind.PLAIN, text)


def test_only_a_mail_is_read_as_a_mail() -> None:
    text = "Merci\n\n--\nJo"
    assert _plain(text).request.text == text
    mail = LabelledMessage("fr", Category.OTHER, Tone.NEUTRAL, MessageKind.SIGNATURE, text)
    assert mail.request.text == "Merci"
