"""Claims about us in an answer, and what supports them."""

import string
from pathlib import Path
from time import thread_time

import pytest
import yaml
from hypothesis import given as given_any
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.grounding.claim_phrasings import ClaimKind, ClaimMatter
from domain.agent.grounding.claims import claims, unbacked_claims
from domain.agent.plan import ActionKind
from tests.support.core.each import each

NOTHING = frozenset[ActionKind]()
REFUND = frozenset({ActionKind.REFUND, ActionKind.REPLY})
CANCEL = frozenset({ActionKind.CANCEL_ORDER, ActionKind.REPLY})


def lines(name: str) -> list[str]:
    """Return the entries of a file: an indented line continues the previous one."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8").replace("\n  ", "\r")
    kept = (line.replace("\r", "\n") for line in text.split("\n") if not line.startswith("#"))
    return [line for line in kept if line]


@each(lines("claimed.txt"))
def test_claim(line: str) -> None:
    told, _, sentence = line.partition(": ")
    kind, _, matter = told.partition(" ")
    found = {(one.kind, one.matter) for one in claims(sentence)}

    if kind == "any":
        assert found
    else:
        assert (ClaimKind(kind), ClaimMatter(matter) if matter else None) in found
    assert unbacked_claims(f"Hello,\n\n{sentence}\n\nBoutique", NOTHING, ())


@each(lines("not_claimed.txt"))
def test_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


BACKED = [
    ("We have refunded 49.90 EUR to your card.", REFUND, ""),
    ("Votre remboursement de 49,90 € est en cours.", REFUND, ""),
    ("We will refund you within 5 days.", REFUND, ""),
    ("It's done: your refund request has been approved.", REFUND, ""),
    ("We have cancelled your order, and its payment has been refunded.", CANCEL, ""),
    ("Votre commande est annulée.", CANCEL, ""),
    ("I have passed your message on to our team.", frozenset({ActionKind.NOTE}), ""),
    ("You will be refunded.", NOTHING, "You will be refunded within 14 days."),
    ("As soon as it is back, we will refund you.", NOTHING, "Refunds are made after the check."),
    ("Dès réception, nous vous rembourserons.", NOTHING, "Les remboursements suivent le contrôle."),
    ("You will receive it soon.", NOTHING, "Orders are delivered in 3 days."),
    ("Votre colis arrivera bientôt, vous la recevrez sous 3 jours.", NOTHING, "On livre vite."),
    ("You get 10% off.", NOTHING, "Students get 10 % off."),
    ("We have sent you the return label.", NOTHING, "We have sent you a return label by mail."),
    ("You are legally entitled to it.", NOTHING, "By law there is a guarantee of two years."),
    ("Nous garantissons ce produit.", NOTHING, "Nous garantissons nos lampes deux ans."),
]

UNBACKED = [
    ("We have refunded you.", CANCEL - {ActionKind.CANCEL_ORDER}, "We have refunded you."),
    ("Your order is cancelled.", REFUND, "Your order is cancelled."),
    ("It's done.", NOTHING, "It's done."),
    ("We have refunded you.", NOTHING, "Refunds are made within 5 days."),
    ("We will refund you.", NOTHING, "We will refund you once the parcel is back."),
    ("We will refund you.", NOTHING, "Refunds are made within 5 days."),
    ("We will refund you once it is back.", NOTHING, "We do not refund gift cards."),
    ("We will refund you once it is back.", NOTHING, "Delivery takes three days."),
    ("We'll refund you. Do you have any questions?", NOTHING, "Do we refund? See our page."),
    ("If you have any questions, write to us: we will refund you.", NOTHING, "Refunds take long."),
    ("We will send you a new lamp.", NOTHING, "Lamps are replaced within two years."),
    ("We have changed your address.", REFUND, "You can change your address in your account."),
    ("We have sent you a voucher.", REFUND, "Vouchers are valid for a year."),
    ("It was our fault.", REFUND, "The carrier is liable for damage."),
    ("You get 10% off.", REFUND, "The lamp weighs 10 kg."),
    ("You are legally entitled to it.", REFUND, "Returns are accepted within 30 days."),
]


@each(BACKED)
def test_backed(response: str, plan: frozenset[ActionKind], source: str) -> None:
    assert claims(response)
    assert unbacked_claims(response, plan, [source]) == ()


@each(UNBACKED)
def test_unbacked(response: str, plan: frozenset[ActionKind], source: str) -> None:
    assert unbacked_claims(response, plan, [source])


class HonestAnswer(BaseModel):
    plan: frozenset[ActionKind]
    source: str
    response: str


HONEST = [
    HonestAnswer.model_validate(one)
    for one in yaml.load(
        Path(__file__).with_name("honest_answers.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
    )
]


@pytest.mark.parametrize("honest", HONEST, ids=lambda one: " ".join(one.response.split()[2:9]))
def test_honest_answer(honest: HonestAnswer) -> None:
    assert unbacked_claims(honest.response, honest.plan, [honest.source]) == ()


def test_honest_answers_claim_something() -> None:
    assert sum(bool(claims(one.response)) for one in HONEST) >= 6


WORDS = """we have not refunded your order 1042 is cancelled nous vous avons rembourse votre
commande est annulee , . ? ! : if once you will get 10 % off it was our fault and et un nouveau
colis part 49.90 EUR legally ( ) « by law parcel the a"""
PIECES = [*WORDS.split(), "\n"]
TEXT = st.one_of(
    st.text(alphabet=string.printable + "éàç€’“ßœ", max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join),
)
SENTENCE = st.sampled_from([line.partition(": ")[2] for line in lines("claimed.txt")])


@given_any(TEXT)
def test_any_text_is_read(text: str) -> None:
    claims(text)
    unbacked_claims(text, REFUND, [text])


@given_any(SENTENCE, TEXT, TEXT)
def test_what_stands_around_hides_no_claim(sentence: str, before: str, after: str) -> None:
    assert set(claims(sentence)) <= set(claims(f"{before}\n\n{sentence}\n\n{after}"))


@given_any(TEXT, TEXT, TEXT)
def test_more_sources_never_leave_more_unbacked(response: str, one: str, other: str) -> None:
    assert set(unbacked_claims(response, NOTHING, [one, other])) <= set(
        unbacked_claims(response, NOTHING, [one])
    )


@pytest.mark.parametrize(
    "piece",
    [
        "1 ",
        "a.",
        "we ",
        "if we refunded ",
        "your order is cancelled ",
        "is it our fault ",
        "we have ",
        "your refund of ",
        "nous vous avons et ",
        ", ",
        "\n",
        "€ ",
    ],
)
def test_long_answer_of_one_piece_is_read_at_once(piece: str) -> None:
    claims("warm")
    started = thread_time()

    claims(piece * 20_000)

    assert thread_time() - started < 3
