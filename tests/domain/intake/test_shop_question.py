"""Questions about delivery that concern no order of the customer."""

import pytest

from domain.intake.order_number import find_order_numbers
from domain.intake.shop_question import asks_of_shop
from tests.support.agent.policy_context import an_event

GENERAL = (
    "Combien coûte la livraison ?",
    "Combien coûte la livraison standard en Belgique ?",
    "Quels sont vos frais de port ?",
    "Bonjour, à partir de quel montant la livraison est-elle gratuite ?",
    "La livraison est-elle offerte dès 50 € d’achat ?",
    "Livrez-vous en Suisse ?",
    "Est-ce que vous livrez le samedi ?",
    "Quels sont vos délais de livraison ?",
    "Combien vais-je payer pour la livraison ?",
    "Les retours sont-ils gratuits ?",
    "How much is delivery?",
    "How much does standard shipping cost?",
    "What are your shipping rates to Belgium?",
    "Hello! Do you offer free shipping?",
    "Do you ship to Canada?",
    "How long does delivery take?",
    "Are returns free?",
)
OF_AN_ORDER = (
    "Où est ma commande ?",
    "Combien coûte la livraison de ma commande ?",
    "Combien de temps avant de recevoir le colis ?",
    "J'ai payé des frais de livraison deux fois",
    "J’ai payé la livraison, combien me rendez-vous ?",
    "Remboursez-moi les frais de port",
    "Quel est le prix de la commande 1042 ?",
    "Quand livrez-vous ?",
    "Pouvez-vous annuler, et combien ça coûte ?",
    "How much will my refund be?",
    "How much did I pay for order 1042?",
    "I was charged shipping fees twice",
    "My delivery was supposed to be free",
    "How long does it take until my parcel arrives?",
    "I want my money back for the delivery costs",
    "n° 1042",
    "Bonjour",
    "Combien ? " + "x" * 300,
)


@pytest.mark.parametrize("text", GENERAL)
def test_a_question_about_the_shop(text: str) -> None:
    assert asks_of_shop(an_event(text=text, numbers=find_order_numbers(text)))


@pytest.mark.parametrize("text", OF_AN_ORDER)
def test_a_question_that_may_be_about_an_order(text: str) -> None:
    assert not asks_of_shop(an_event(text=text, numbers=find_order_numbers(text)))


def test_a_question_that_names_an_order() -> None:
    assert not asks_of_shop(an_event(text="How much is delivery?", numbers=("1042",)))
