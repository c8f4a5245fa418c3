"""What the embedded brain answers with only the starter templates."""

import re
from itertools import count

import pytest

from domain.agent.brain import (
    BrainAnswer,
    BrainRequest,
    Category,
    Language,
    Passage,
    Template,
    Turn,
)
from domain.agent.frame import AnswerFrame
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction
from domain.content.starter_templates import starter_templates
from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from tests.adapters.brain.test_order_answers import ORDER
from tests.support.agent.embedded_brain import BRAIN, THRESHOLD, passage

_IDS = count()
STARTERS = starter_templates(lambda: f"{next(_IDS):04}")
OPEN = ORDER.model_copy(update={"state": OrderState.OPEN, "tracking_url": None})


async def ask(
    text: str,
    *,
    order: Order | None = None,
    offers: tuple[PlannedAction, ...] = (),
    templates: tuple[Template, ...] = STARTERS,
    passages: tuple[Passage, ...] = (),
    turns: tuple[Turn, ...] = (),
) -> BrainAnswer:
    return await BRAIN.think(
        BrainRequest(
            text=text,
            brand_name="Maison",
            templates=templates,
            passages=passages,
            turns=turns,
            order=order,
            offers=offers,
            frame=AnswerFrame.of({}, brand_name="Maison", customer_name="Anne Martin"),
        )
    )


@pytest.mark.parametrize(
    ("text", "order", "answer"),
    [
        (
            "Where is my order?",
            ORDER,
            "Hello Anne Martin,\n\nYour order 1042, placed on 2026-05-03, is shipped. You can "
            "follow the parcel here:\nhttps://track.example/1042\n\nKind regards,\nMaison",
        ),
        (
            "Où est ma commande ?",
            OPEN,
            "Bonjour Anne Martin,\n\nVotre commande 1042, passée le 03/05/2026, est en "
            "préparation.\n\nBien à vous,\nMaison",
        ),
        (
            "Where is my order?",
            None,
            "Hello Anne Martin,\n\nTo find your order, we need its number and the email address "
            "used for the purchase. Could you confirm both in a reply to this message?\n\n"
            "Kind regards,\nMaison",
        ),
    ],
)
async def test_where_is_my_order(text: str, order: Order | None, answer: str) -> None:
    given = await ask(text, order=order)
    assert given.response == answer
    assert given.confidence >= THRESHOLD


QUESTIONS: dict[Intent, tuple[str, str]] = {
    Intent.TRACK_ORDER: ("Où est ma commande ?", "Where is my order?"),
    Intent.ORDER_RECEIVED: (
        "Avez-vous bien reçu ma commande ?",
        "Did you receive my order?",
    ),
    Intent.DELIVERY_DATE: (
        "Quand vais-je recevoir ma commande ?",
        "When will my order arrive?",
    ),
    Intent.PARCEL_LATE: ("Mon colis est en retard.", "My parcel is late."),
    Intent.PARCEL_LOST: ("Mon colis est perdu.", "My parcel is lost."),
    Intent.RETURN: ("Comment retourner un article ?", "How do I return an item?"),
    Intent.EXCHANGE: (
        "Je voudrais échanger mon article.",
        "I would like to exchange my item.",
    ),
    Intent.REFUND_STATUS: ("Où en est mon remboursement ?", "Where is my refund?"),
    Intent.DAMAGED_ON_ARRIVAL: (
        "Mon colis est arrivé cassé.",
        "My parcel arrived broken.",
    ),
    Intent.DEFECT: ("Mon article ne fonctionne pas.", "My item does not work."),
    Intent.MISSING_ITEM: (
        "Il manque un article dans mon colis.",
        "An item is missing from my parcel.",
    ),
    Intent.WRONG_ITEM: (
        "J'ai reçu le mauvais article.",
        "I received the wrong item.",
    ),
    Intent.INVOICE: ("Pouvez-vous m'envoyer une facture ?", "Can you send me an invoice?"),
    Intent.CHANGE_ADDRESS: (
        "Je voudrais changer l'adresse de livraison.",
        "I would like to change the delivery address.",
    ),
    Intent.CHANGE_ORDER: (
        "Puis-je modifier ma commande ?",
        "Can I change my order?",
    ),
    Intent.PAYMENT: ("Bonjour, carte refusée, que faire ?", "My card was declined."),
    Intent.DISCOUNT: (
        "J'ai un souci avec mon code promo.",
        "I have a problem with my discount code.",
    ),
    Intent.GIFT_CARD: (
        "J'ai un souci avec ma carte cadeau.",
        "I have a problem with my gift card.",
    ),
    Intent.ACCOUNT: (
        "Je n'arrive pas à me connecter à mon compte.",
        "I can't log in.",
    ),
    Intent.CONTACT: ("Comment puis-je vous contacter ?", "How can I contact you?"),
}


ABOUT_ORDERS = [
    intent
    for intent in QUESTIONS
    if intent
    not in (Intent.PAYMENT, Intent.DISCOUNT, Intent.GIFT_CARD, Intent.ACCOUNT, Intent.CONTACT)
]


def starter(answer: BrainAnswer) -> Template | None:
    cited = {one.id for one in answer.citations if one.kind == "template"}
    return next((one for one in STARTERS if one.id in cited), None)


@pytest.mark.parametrize("intent", QUESTIONS)
@pytest.mark.parametrize("place", [0, 1])
async def test_the_most_common_requests_have_a_starter(intent: Intent, place: int) -> None:
    language: Language = ("fr", "en")[place]
    given = await ask(QUESTIONS[intent][place])
    used = starter(given)
    assert used is not None, given
    assert (used.intent, used.language) == (intent, language)


async def test_the_clients_own_template_is_preferred() -> None:
    own = Template(
        id="own",
        name="Suivi",
        category=Category.ORDER_STATUS,
        language="fr",
        body="Tout est sur {{ tracking_url }}.",
        intent=Intent.TRACK_ORDER,
    )
    given = await ask("Où est ma commande ?", order=ORDER, templates=(*STARTERS, own))
    assert given.response == "Tout est sur https://track.example/1042."


async def test_the_clients_own_template_is_preferred_without_an_intent() -> None:
    own = Template(
        id="own",
        name="Suivi",
        category=Category.ORDER_STATUS,
        language="fr",
        body="Votre commande est en route.",
    )
    given = await ask("Où est ma commande ?", order=ORDER, templates=(*STARTERS, own))
    assert given.response == own.body
    thanks = own.model_copy(update={"category": Category.OTHER, "body": "Ouverts de 9 h à 18 h."})
    given = await ask("Bravo, vous êtes formidables !", templates=(*STARTERS, thanks))
    assert "message nous fait très plaisir" in given.response


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("J'adore mon plaid, vous êtes formidables !", "Merci à vous, votre message"),
        ("Pas déçue du tout de mon achat.", "Merci à vous, votre message"),
        ("I can't complain, great service!", "Thank you, your message made our day"),
        ("Hats off to the whole team, you're fantastic 👏", "Thank you, your message made our day"),
    ],
)
async def test_praise_is_answered_and_is_no_anger(text: str, answer: str) -> None:
    given = await ask(text, passages=(passage("Plaid", "J'adore le plaid : il se lave à 30."),))
    assert answer in given.response
    assert given.confidence >= THRESHOLD
    assert given.sentiment > 0
    turns = (Turn(author="customer", body=text), Turn(author="agent", body=given.response))
    again = await ask(text, turns=turns)
    assert (again.closes, again.response) == (True, "")


async def test_the_orders_state_may_be_told_again() -> None:
    text = "Où est ma commande ?"
    first = await ask(text, order=ORDER)
    turns = (Turn(author="customer", body=text), Turn(author="agent", body=first.response))
    assert (await ask(text, order=ORDER, turns=turns)).response == first.response


async def test_knowledge_of_the_client_is_preferred_to_a_starter_that_only_asks() -> None:
    entry = passage(
        "How to return an item",
        "To return an item, print the label in your account and post the parcel.",
    )
    given = await ask("How do I return an item?", passages=(entry,))
    assert "print the label" in given.response


async def test_a_starter_of_the_order_is_preferred_to_knowledge() -> None:
    entry = passage("Where is my order", "Where an order is, is said in your account.")
    given = await ask("Where is my order?", order=ORDER, passages=(entry,))
    assert "https://track.example/1042" in given.response


async def test_no_starter_is_drafted_because_of_its_class() -> None:
    given = await ask("The website does not let me see my basket since the update.")
    assert starter(given) is None


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("intent", QUESTIONS)
async def test_the_same_answer_is_not_given_twice(intent: Intent, place: int) -> None:
    text = QUESTIONS[intent][place]
    first = await ask(text)
    turns = (Turn(author="customer", body=text), Turn(author="agent", body=first.response))
    again = await ask(text, turns=turns)
    assert again.response == ""
    assert again.confidence < THRESHOLD


@pytest.mark.parametrize(
    "text",
    [
        "How do I delete my account?",
        "Comment supprimer mon compte ?",
        "Can I pay with PayPal?",
        "Acceptez-vous les virements ?",
        "What is your return policy?",
        "Combien de temps ai-je pour retourner un article ?",
        "How long do refunds take?",
        "What is your phone number?",
        "Quels sont vos horaires ?",
        "Do you sell gift cards?",
        "Do you have a promo code?",
        "My parcel arrived broken, the photos are attached.",
        "Mon colis a été volé devant ma porte.",
        "The website does not work.",
        "Je veux être remboursé.",
        "Please cancel my order.",
    ],
)
async def test_no_starter_answers_what_it_does_not_know(text: str) -> None:
    given = await ask(text)
    assert starter(given) is None
    assert given.confidence < THRESHOLD


@pytest.mark.parametrize(
    ("text", "kind", "promise"),
    [
        ("Please refund my order 1042.", ActionKind.REFUND, "we are refunding 49.90 EUR"),
        ("Je veux être remboursé de ma commande 1042.", ActionKind.REFUND, "49,90 EUR"),
        ("Please cancel my order 1042.", ActionKind.CANCEL_ORDER, "order 1042 is cancelled"),
        ("Annulez ma commande 1042.", ActionKind.CANCEL_ORDER, "commande 1042 est annulée"),
    ],
)
async def test_a_refund_or_cancellation_is_named_only_with_its_offer(
    text: str, kind: ActionKind, promise: str
) -> None:
    offer = PlannedAction(kind=kind, amount=Money(minor=4990, currency="EUR"), order_number="1042")
    done = await ask(text, order=ORDER, offers=(offer,))
    assert promise in done.response
    assert [one.kind for one in done.proposals] == [kind]
    without = await ask(text, order=ORDER)
    assert promise not in without.response
    assert without.confidence < THRESHOLD


ASKS_NUMBER = re.compile(r"(?:le|votre|son) num[ée]ro|(?:the|your) order number|its number")


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("intent", ABOUT_ORDERS)
@pytest.mark.parametrize("order", [ORDER, OPEN], ids=["tracked", "open"])
async def test_a_known_order_is_not_asked_for(intent: Intent, place: int, order: Order) -> None:
    given = await ask(QUESTIONS[intent][place], order=order)
    assert "1042" in given.response
    assert not ASKS_NUMBER.search(given.response), given.response


async def test_knowledge_is_preferred_to_a_starter_that_only_identifies_the_order() -> None:
    entry = passage(
        "How to return an item",
        "To return an item, print the label in your account and post the parcel.",
    )
    given = await ask("How do I return an item?", order=ORDER, passages=(entry,))
    assert "print the label" in given.response
