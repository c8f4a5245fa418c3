"""Short messages that only the customer's previous message explains."""

from typing import Literal

import pytest

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from domain.agent.brain import BrainAnswer, BrainRequest, Category, Template, Turn
from domain.agent.intent import Intent

BRAIN = EmbeddedBrain(Classifier.load())
TEMPLATES = tuple(
    Template(
        id=f"{language}-{category}",
        name="R",
        category=category,
        language=language,
        body="Ok",
        intent=Intent.TRACK_ORDER if category is Category.ORDER_STATUS else None,
    )
    for category in Category
    for language in ("fr", "en")
)
THRESHOLD = 0.70

FOLLOW_UPS = [
    ("Où est ma commande ?", "n° 1042", Category.ORDER_STATUS),
    ("Bonjour, avez-vous expédié mes chaussures ?", "commande 5521", Category.ORDER_STATUS),
    ("Quand serai-je livré de ma table ?", "oui", Category.ORDER_STATUS),
    ("Quand arrive ma commande ?", "et pour la deuxième ?", Category.ORDER_STATUS),
    ("Pouvez-vous me donner mon numéro de suivi ?", "oui svp", Category.ORDER_STATUS),
    ("Where is my order?", "it's 1042", Category.ORDER_STATUS),
    ("Has my parcel been shipped yet?", "yes please", Category.ORDER_STATUS),
    ("When will my order arrive?", "and the other one?", Category.ORDER_STATUS),
    ("Je voudrais être remboursé de ma veste", "oui", Category.REFUND_REQUEST),
    ("Je souhaite annuler ma commande", "la 8871", Category.REFUND_REQUEST),
    ("Comment retourner cet article ?", "oui je veux bien", Category.REFUND_REQUEST),
    ("I'd like a refund for the broken lamp", "yes", Category.REFUND_REQUEST),
    ("I want to return these shoes", "both of them", Category.REFUND_REQUEST),
    ("Please cancel my order", "number 8871", Category.REFUND_REQUEST),
    ("Mon colis est arrivé cassé", "les deux", Category.SHIPPING_ISSUE),
    ("Mon colis est perdu, le suivi est bloqué", "1Z999", Category.SHIPPING_ISSUE),
    ("Il manque un article dans mon colis", "oui", Category.SHIPPING_ISSUE),
    ("My parcel arrived damaged", "yes", Category.SHIPPING_ISSUE),
    ("I received the wrong item in my parcel", "no 4410", Category.SHIPPING_ISSUE),
    ("My package says delivered but I got nothing", "yes exactly", Category.SHIPPING_ISSUE),
    ("Cette veste existe-t-elle en taille L ?", "et en M ?", Category.PRODUCT_QUESTION),
    ("La montre est-elle étanche ?", "et celle-là ?", Category.PRODUCT_QUESTION),
    ("Is the jacket waterproof?", "and that one?", Category.PRODUCT_QUESTION),
    ("Do you have this dress in red?", "and in 42?", Category.PRODUCT_QUESTION),
    ("Votre service client est lamentable", "oui", Category.COMPLAINT),
    ("Your staff was so rude to me, I am outraged", "yes", Category.COMPLAINT),
    # A self-explanatory message is classified by itself.
    ("Où est ma commande ?", "merci beaucoup", Category.OTHER),
    ("Where is my order?", "thanks!", Category.OTHER),
    ("Où est ma commande ?", "finalement remboursez-moi", Category.REFUND_REQUEST),
    ("Is the jacket waterproof?", "where is my parcel", Category.ORDER_STATUS),
]


async def follow_up(before: str, text: str) -> BrainAnswer:
    turns = (customer("unsubscribe me"), customer(before), said("agent", "refund refund refund"))
    request = BrainRequest(text=text, brand_name="Maison", templates=TEMPLATES, turns=turns)
    return await BRAIN.think(request)


def said(author: Literal["customer", "agent", "human"], body: str) -> Turn:
    return Turn(author=author, body=body)


def customer(body: str) -> Turn:
    return said("customer", body)


@pytest.mark.parametrize(("before", "text", "category"), FOLLOW_UPS)
async def test_a_follow_up_is_of_the_class_it_follows(
    before: str, text: str, category: Category
) -> None:
    assert (await follow_up(before, text)).classification is category


@pytest.mark.parametrize("text", ["oui", "yes please", "ok", "d'accord", "no"])
async def test_an_answer_without_words_of_its_own_is_for_a_human(text: str) -> None:
    answer = await follow_up("Where is my order?", text)

    assert answer.confidence < THRESHOLD


async def test_a_follow_up_with_a_number_may_be_answered() -> None:
    answer = await follow_up("Où est ma commande ?", "n° 1042")

    assert [citation.id for citation in answer.citations] == ["fr-order_status"]
    assert answer.confidence >= THRESHOLD


@pytest.mark.parametrize("text", ["et ma commande 1044 ?", "and order 1044?", "1044"])
async def test_a_follow_up_about_another_order_wants_the_same(text: str) -> None:
    before = "Où est ma commande 1042 ?" if "ma" in text or text == "1044" else "Where is 1042?"

    answer = await follow_up(before, text)

    assert answer.intents == (Intent.TRACK_ORDER,)
    assert answer.confidence >= THRESHOLD


@pytest.mark.parametrize("text", ["how long does it take?", "and my other order?"])
async def test_a_follow_up_that_says_more_is_for_a_human(text: str) -> None:
    answer = await follow_up("Where is my order 1042?", text)

    assert answer.intents == (Intent.TRACK_ORDER,)
    assert answer.confidence < THRESHOLD


async def test_thanks_before_a_question_are_no_class() -> None:
    answer = await follow_up("Où est ma commande 1042 ?", "Merci. Et elle en est où, maintenant ?")

    assert answer.classification is Category.ORDER_STATUS
    assert answer.confidence >= THRESHOLD


async def test_the_mood_is_that_of_now() -> None:
    answer = await follow_up("You are thieves, I am furious, shame on you!", "number 8871")

    assert answer.sentiment > -0.2


async def test_a_long_message_is_read_alone() -> None:
    text = "Could you please tell me whether the blue jacket is machine washable at forty degrees?"

    alone = await BRAIN.think(BrainRequest(text=text, brand_name="Maison", templates=TEMPLATES))

    assert (await follow_up("Where is my order?", text)) == alone
