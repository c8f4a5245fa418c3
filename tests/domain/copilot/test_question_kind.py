"""The kind of a question, measured on held-out questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.copilot.question import CopilotMessage, CopilotQuestion, Speaker
from domain.copilot.question_kind import AskedKind, AskedOfCopilot, asked_of
from domain.copilot.words import tongue_of
from domain.runs.inbox import InboxView
from tests.support.copilot.labelled_questions import LABELLED

FLOOR = 0.9
# The trial's questions have these kinds.
OF_TRIAL = {
    AskedKind.REFUNDS,
    AskedKind.UNHAPPY,
    AskedKind.ATTENTION,
    AskedKind.POLICY_CHANGES,
    AskedKind.ARTICLES,
}


def asked(*questions: str) -> AskedOfCopilot:
    return asked_of(CopilotQuestion(tuple(CopilotMessage(Speaker.USER, one) for one in questions)))


def test_held_out_questions() -> None:
    """`docs/copilot.md` states the figure."""
    rows = [(kind, one) for kind, questions in LABELLED.items() for one in questions]
    assert len(rows) >= 60
    assert min(map(len, LABELLED.values())) >= 4
    assert set(LABELLED) == set(AskedKind) - {AskedKind.SEARCH} - OF_TRIAL

    wrong = [(kind, asked(one).kind, one) for kind, one in rows if asked(one).kind is not kind]

    assert len(wrong) <= (1 - FLOOR) * len(rows), wrong


def test_what_a_question_names() -> None:
    ulid = "01je3zk7m2q8w4r6t9y1a3c5eg"
    assert asked(f"Why {ulid}?").record_id == ulid.upper()
    assert asked("What did we tell bob.o'neil@example.com.").email == "neil@example.com"
    assert asked("Reply to <zoe+x@shop.example>, please").email == "zoe+x@shop.example"
    assert asked("Find order #FR-2231").order == "FR-2231"
    assert asked("Que savons-nous sur « la garantie » ?").topic == "la garantie"
    assert asked("zoe@shop.example 01JE3ZK7M2Q8W4R6T9Y1A3C5EG").order is None


def test_what_merchants_asked_first() -> None:
    assert asked("What threshold should I use for Shopify?").kind is AskedKind.PLAYBOOKS
    assert asked("Are customers satisfied?").kind is AskedKind.METRICS
    assert asked("Quelle est la note de satisfaction ?").kind is AskedKind.METRICS


def test_a_short_one_goes_on_and_a_long_one_does_not() -> None:
    first = "What did we answer to zoe@shop.example?"
    assert asked(first, "And before that?").email == "zoe@shop.example"
    assert asked("Refund order 12", "And the blue one?").kind is AskedKind.SEARCH
    assert asked(first, "Nice colours these pages of yours have, I like them a lot").email is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Combien de tickets ce mois-ci ?", "Et la semaine dernière ?"),
        ("Which refunds did the agent make today?", "And the last 2 weeks?"),
        ("Quels clients sont en colère aujourd'hui ?", "et sur 10 jours ?"),
        ("What are the frequent topics?", "and over 20 d?"),
    ],
)
def test_another_period_keeps_the_subject(first: str, second: str) -> None:
    before = asked(first)
    after = asked(first, second)
    assert before.kind is not AskedKind.SEARCH
    assert (after.kind, after.figure) == (before.kind, before.figure)
    assert after.text == second
    third = asked(first, second, "et hier ?")
    assert third.kind is before.kind


@pytest.mark.parametrize(
    "question",
    [
        "sujets fréquents",
        "frequent topics",
        "Quels sont les sujets les plus fréquents ?",
        "What are the most common topics this month?",
        "De quoi parlent le plus souvent les clients ?",
    ],
)
def test_frequent_topics(question: str) -> None:
    assert asked(question).kind is AskedKind.TOPICS


@pytest.mark.parametrize(
    ("question", "view"),
    [
        ("Combien attendent ?", InboxView.NEEDS),
        ("How many wait?", InboxView.NEEDS),
        ("Combien de mes demandes attendent ?", InboxView.MINE),
        ("How many tickets wait that are assigned to me?", InboxView.MINE),
        ("Combien attendent une seconde validation ?", InboxView.SECOND),
    ],
)
def test_a_view_of_the_inbox(question: str, view: InboxView) -> None:
    assert (asked(question).kind, asked(question).view) == (AskedKind.WAITING, view)


@given(st.text(max_size=4_000))
def test_any_text_has_a_kind_and_a_language(text: str) -> None:
    found = asked(text or "?")

    assert found.kind in AskedKind
    assert found.tongue == tongue_of(text or "?")


def test_why_about_a_named_customer_or_order() -> None:
    person = asked("Pourquoi la demande de Léa Martin n'a-t-elle pas été remboursée ?")
    assert (person.kind, person.person) == (AskedKind.WHY, "Léa Martin")
    order = asked("Why was order 1043 not refunded?")
    assert (order.kind, order.order) == (AskedKind.WHY, "1043")
