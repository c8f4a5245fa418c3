"""Texts of templates and articles that are expensive to read, at their maximum length."""

import time
from collections.abc import Callable

import pytest

from domain.content.chunks import MAX_HEADING, MAX_SENTENCES, chunks_of, max_sentences
from domain.content.content import MAX_BODY, language_of, unchosen_language
from domain.core.effort import budget
from domain.core.errors import OverBudget
from evaluation.help_shop import SHOPS, read_articles

SECONDS = 0.1


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


BRACES = {
    "opening braces": "{" * MAX_BODY,
    "an open placeholder": "{{" + "a" * MAX_BODY,
    "many open placeholders": "{{a" * (MAX_BODY // 3),
    "placeholders with one end": "{{}" * (MAX_BODY // 3),
    "a whole form of braces": "{" * 1024 * 1024,
}


@pytest.mark.parametrize("text", BRACES.values(), ids=BRACES)
def test_open_placeholders_make_no_language_guess_expensive(text: str) -> None:
    assert seconds(lambda: unchosen_language(("a", text), "fr")) < SECONDS
    assert seconds(lambda: language_of(("a", text), "fr")) < SECONDS


def test_words_in_placeholders_do_not_count() -> None:
    text = "{{ number | votre commande est dans les mains }}\nHello, your parcel is there"
    assert unchosen_language((text,), "fr") == "en"
    assert unchosen_language(("{{ votre\ncommande }}",), "en") == "en"


BODIES = {
    "blank lines": "a" + "\n" * (MAX_BODY - 2) + "b",
    "lines of blanks": "a\n" + "\n \t" * (MAX_BODY // 3 - 1) + "b",
    "blank lines in a list": "- a\n" + "\n" * (MAX_BODY - 7) + "- b",
    "pairs of blank lines": "a\n\n\n" * (MAX_BODY // 4),
    "headings": "# a\n" * (MAX_BODY // 4),
    "open emphasis": "**a" * (MAX_BODY // 3),
    "underscores": "_" * MAX_BODY,
    "short sentences": "a. " * (MAX_BODY // 3),
    "exclamation marks": "! " * (MAX_BODY // 2),
    "full stops": "." * MAX_BODY,
    "a wide gap": '."' + " " * (MAX_BODY - 3) + "b",
    "wide gaps": ("a." + " " * 98) * (MAX_BODY // 100),
    "quotes": '."' * (MAX_BODY // 2),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_an_article_is_split_in_linear_time(body: str) -> None:
    assert len(body) <= MAX_BODY
    assert seconds(lambda: chunks_of(body)) < SECONDS


def test_blank_lines_change_no_chunk() -> None:
    body = "Prices:\n\n- France: 5 euros\n- Belgium: 9 euros\n\nReturns\n\nSend it back. We pay."
    assert chunks_of(body.replace("\n\n", "\n" * 50)) == chunks_of(body)


def test_an_article_has_a_bounded_number_of_sentences() -> None:
    for body in ("One.\n" * (MAX_BODY // 5), "A\nb\n\n" * (MAX_BODY // 5)):
        assert sum(len(chunk.sentences) for chunk in chunks_of(body)) == MAX_SENTENCES
    sentence = "We will send it to you within five days. "
    ordinary = chunks_of(sentence * (MAX_BODY // len(sentence)))
    assert sum(len(chunk.sentences) for chunk in ordinary) == MAX_BODY // len(sentence)


def test_a_short_article_of_one_letter_lines_has_few_sentences() -> None:
    """The embeddings of 5,000 such articles took 4 GB."""
    body = "A.\n" * MAX_SENTENCES
    kept = sum(len(chunk.sentences) for chunk in chunks_of(body))
    assert kept == max_sentences(len(body)) < MAX_SENTENCES / 5


def test_the_articles_of_the_evaluation_keep_all_sentences() -> None:
    for shop in sorted(one.name for one in SHOPS.iterdir()):
        for article in read_articles(shop):
            sentences = [text for one in chunks_of(article.body) for text in one.sentences]
            assert len(sentences) < max_sentences(len(article.body))


def test_each_line_costs_steps() -> None:
    with budget(MAX_BODY + 100) as effort, pytest.raises(OverBudget):
        chunks_of("a\n" * (MAX_BODY // 2))
    assert effort.spent > MAX_BODY


def test_a_long_heading_is_cut() -> None:
    """The heading is copied to each of 500 sentences, in each search."""
    body = "# " + "a " * 9_000 + "\n" + "\n".join(f"9 {number}" for number in range(500))

    assert all(len(chunk.heading) <= MAX_HEADING for chunk in chunks_of(body))
