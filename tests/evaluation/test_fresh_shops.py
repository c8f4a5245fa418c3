"""The questions to fresh shops: each names an article that contains its facts."""

from collections import Counter

from evaluation.fresh_shops import fresh_questions, report
from evaluation.help_question import plain, training_questions
from evaluation.help_shop import read_articles
from evaluation.help_trial import HelpOutcome

QUESTIONS = fresh_questions()


def test_every_fact_is_in_an_article_that_answers_the_question() -> None:
    texts = {
        (shop, one.id): plain(f"{one.title} {one.body}")
        for shop in {question.shop for question in QUESTIONS}
        for one in read_articles(shop)
    }
    wrong = []
    for one in QUESTIONS:
        known = [texts.get((one.shop, article)) for article in one.answered_by]
        if None in known or (one.kind in ("near", "unanswerable") and one.facts):
            wrong.append(one.id)
        wrong += [
            f"{one.id}: {facts}"
            for facts in one.facts
            if not any(plain(fact) in text for fact in facts for text in known if text)
        ]
    assert wrong == []


def test_no_model_is_trained_on_them() -> None:
    trained = training_questions()

    assert len(QUESTIONS) == 2_970
    assert {one.shop for one in QUESTIONS}.isdisjoint({one.shop for one in trained})


def test_the_report_counts_wrong_answers_of_each_kind() -> None:
    near = next(one for one in QUESTIONS if one.kind == "near")
    right = next(one for one in QUESTIONS if one.kind == "answerable")
    fact = " ".join(facts[0] for facts in right.facts)
    lines = report(
        [
            HelpOutcome(near, (), "Not about it.", sent=True),
            HelpOutcome(right, (), fact, sent=True),
            HelpOutcome(right, (), fact, sent=False, is_excerpt=True),
            HelpOutcome(right, (), "", sent=False),
        ]
    )

    assert any(line.startswith("near: 1 questions, 1 sent, 1 of them wrong;") for line in lines)
    assert lines[-1] == (
        "all: 4 questions, 2 sent, 1 of them wrong; 1 excerpts; of 3 answerable, "
        "the facts in 2 answers or drafts, 2 of them received at once"
    )
    assert Counter(one.kind for one in QUESTIONS)["near"] == 630
