"""The intents of a message, in French and English."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.agent.intent import Intent
from domain.agent.intents.phrase_lists import PhraseLists
from domain.agent.intents.wanted import intents, read_wants

ONE: dict[Intent, tuple[str, ...]] = {
    Intent.TRACK_ORDER: (
        "Où est ma commande 1042 ?",
        "elle en est où ma commande",
        "Any update on my order?",
        "Has order 1042 shipped yet?",
    ),
    Intent.ORDER_RECEIVED: (
        "Avez-vous bien reçu ma commande ?",
        "Did my order go through?",
    ),
    Intent.DELIVERY_DATE: (
        "Quand arrive ma commande ?",
        "What day will my parcel be delivered?",
    ),
    Intent.REFUND: (
        "Je veux être remboursé",
        "I would like a refund for order 1042",
    ),
    Intent.CANCEL_ORDER: (
        "Merci d'annuler ma commande 1042",
        "Please cancel my order and refund me",
        "I'd like to stop order 1042",
    ),
    Intent.RETURN: (
        "Comment retourner un article ?",
        "I want to send the shoes back",
        "How do returns work and when do I get my money?",
    ),
    Intent.EXCHANGE: (
        "Je voudrais échanger le pull contre une taille 40",
        "Can I swap the kurta for a bigger one?",
    ),
    Intent.REFUND_STATUS: (
        "Où en est mon remboursement ?",
        "I sent it back three weeks ago, still no refund",
        "Vous avez reçu mon retour le 2 et toujours pas un centime",
    ),
    Intent.CHARGED_WRONGLY: (
        "J'ai été débitée deux fois",
        "I was charged twice for 1042",
    ),
    Intent.PARCEL_LATE: (
        "Mon colis a dix jours de retard",
        "My parcel was due last Monday and it still hasn't come",
        "Le suivi ne bouge plus depuis mardi",
    ),
    Intent.PARCEL_LOST: (
        "Mon colis est perdu",
        "Tracking says delivered but I got nothing",
        "My parcel was stolen",
    ),
    Intent.DAMAGED_ON_ARRIVAL: (
        "Le vase est arrivé cassé",
        "When I opened the box the plate was in pieces",
    ),
    Intent.DEFECT: (
        "La bouilloire ne marche plus",
        "It stopped working after eight months",
    ),
    Intent.MISSING_ITEM: (
        "Il manque le sachet de vis",
        "Only one of the two boxes turned up",
    ),
    Intent.WRONG_ITEM: (
        "J'ai reçu le mauvais article",
        "You sent me the wrong size",
    ),
    Intent.CHANGE_ADDRESS: (
        "Comment changer l'adresse de livraison ?",
        "We've moved, can the parcel go to 9 Quay Street?",
    ),
    Intent.CHANGE_ORDER: (
        "Puis-je ajouter un coussin à ma commande ?",
        "Can I still add a pillow to my order?",
    ),
    Intent.DELIVERY_OPTIONS: (
        "Livrez-vous en Belgique ?",
        "How much is shipping?",
        "Can I pick it up at the shop?",
    ),
    Intent.PRODUCT_INFO: (
        "La table est-elle en chêne massif ?",
        "Is the jacket waterproof?",
    ),
    Intent.SIZE: (
        "Quelle taille prendre pour ce manteau ?",
        "I'm between an M and an L, which one?",
    ),
    Intent.CARE: (
        "Comment laver la couverture ?",
        "Can I put the rug in the washing machine?",
    ),
    Intent.STOCK: (
        "Quand le fauteuil est-il de nouveau en stock ?",
        "Is the mustard armchair available?",
    ),
    Intent.WARRANTY: (
        "La lampe est-elle sous garantie ?",
        "How long is the warranty?",
    ),
    Intent.INVOICE: (
        "Où est ma facture ?",
        "Could you send me a receipt please",
    ),
    Intent.GIFT_CARD: (
        "Combien de temps est valable une carte cadeau ?",
        "Do gift cards expire?",
    ),
    Intent.DISCOUNT: (
        "Mon code promo ne passe pas",
        "Do you have a student discount?",
    ),
    Intent.PAYMENT: (
        "Peut-on payer en plusieurs fois ?",
        "Do you take PayPal?",
    ),
    Intent.ACCOUNT: (
        "J'ai oublié le mot de passe de mon compte",
        "How do I delete my account?",
    ),
    Intent.CONTACT: (
        "Quel est votre numéro de téléphone ?",
        "What are your opening hours?",
    ),
    Intent.SERVICE_COMPLAINT: (
        "Votre service client est lamentable",
        "Your staff was so rude",
    ),
}


@pytest.mark.parametrize(
    ("text", "intent"), [(text, intent) for intent, texts in ONE.items() for text in texts]
)
def test_one_wish_is_one_intent(text: str, intent: Intent) -> None:
    assert intents(text) == (intent,)


def test_every_intent_but_thanks_can_be_wanted() -> None:
    assert ONE.keys() == set(Intent) - {Intent.THANKS}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Où est ma commande 1042 ? et comment changer l'adresse",
            {Intent.TRACK_ORDER, Intent.CHANGE_ADDRESS},
        ),
        (
            "Where is my order? And how do I return another item?",
            {Intent.TRACK_ORDER, Intent.RETURN},
        ),
        (
            "Je voudrais ma facture. Quelle taille prendre pour le gilet ?",
            {Intent.INVOICE, Intent.SIZE},
        ),
        (
            "The mug arrived broken. Please refund me.",
            {Intent.DAMAGED_ON_ARRIVAL, Intent.REFUND},
        ),
    ],
)
def test_several_wishes_are_several_intents(text: str, wanted: set[Intent]) -> None:
    assert set(intents(text)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bonjour",
        "hello there",
        "ok",
        "1042",
        "J'ai un problème",
        "qwerty uiop",
        "订单在哪里",
        "??",
    ],
)
def test_nothing_evident_is_nothing(text: str) -> None:
    assert intents(text) == ()


def test_the_most_evident_comes_first() -> None:
    assert intents("My invoice? And my parcel was due Monday and still hasn't come")[0] is (
        Intent.PARCEL_LATE
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Where is my order? My cat ate the label", {"ate", "cat", "label"}),
        ("Où est ma commande, mais sans mon ex", {"mais", "sans", "ex"}),
        ("Where is my order 1042 or 1043?", {"or", "1042", "1043"}),
        ("Where is my order? 我要退款", {"我要退款"}),
        ("Where is my order?" + " please" * 400, {"beyond"}),
    ],
)
def test_what_no_wish_explains_is_told(text: str, left: set[str]) -> None:
    assert set(read_wants(text).unexplained) == left


@pytest.mark.parametrize(
    "text",
    [
        "Bonjour, où en est ma commande n° 1042 ? Merci d'avance, Arthur Pym",
        "Where’s my order?\n\nMany thanks,\nJ. Smith",
        "WHERE IS MY ORDER #1042 PLEASE!!!",
        "Je suis Ann. Où est ma commande ?",
        "Hello, my name is Arthur Pym, where is my order?",
    ],
)
def test_courtesy_and_a_name_below_leave_nothing(text: str) -> None:
    assert read_wants(text).unexplained == ()


@pytest.mark.parametrize(
    "text", ["Where is my order? Thanks, Cancel", "Merci, Annulez Tout", "I am Cancel. Hi"]
)
def test_what_means_something_is_no_name(text: str) -> None:
    assert {"cancel", "annulez"} & set(read_wants(text).unexplained)


def test_each_wish_keeps_its_own_sentences() -> None:
    wants = read_wants("Hello. Where is my order? Could you send me the invoice? Bye.")

    assert {one.intent: one.said for one in wants.all} == {
        Intent.TRACK_ORDER: "Where is my order?",
        Intent.INVOICE: "Could you send me the invoice?",
    }


@pytest.mark.parametrize(
    ("text", "phrases", "there"),
    [
        ("Bloqué à la DOUANE !", ("douane",), True),
        ("Bloqué en douanes", ("douane",), False),
        ("Bloqué en douanes", ("douane*",), True),
        ("my gift  card", ("gift card",), True),
        ("a card as a gift", ("gift card",), False),
        ("J'ai payé à l'étranger", ("à l'étranger",), True),
        (
            "one two three four five six seven eight",
            ("one two three four five six seven eight nine*",),
            True,
        ),
        (
            "one two three four five six seven",
            ("one two three four five six seven eight nine*",),
            False,
        ),
        ("anything", (), False),
        ("anything", (" ", "*"), False),
    ],
)
def test_phrases_are_found_as_whole_words(text: str, phrases: tuple[str, ...], there: bool) -> None:
    assert (0 in PhraseLists([phrases]).mentioned(text)) is there


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    wants = read_wants(text)

    assert len(set(wants.intents)) == len(wants.intents)


@pytest.mark.alone
def test_a_long_text_takes_no_longer_than_its_length() -> None:
    """Only two thousand characters are read."""
    began = time.perf_counter()
    for text in ("where is my order " * 50_000, "aller " * 100_000, "'" * 100_000):
        read_wants(text)

    assert time.perf_counter() - began < 1
