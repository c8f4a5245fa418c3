"""Questions about delivery that do not concern a customer's order."""

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
# Phrases with words such as "it", "another" or "address" that do not concern an order.
GENERAL_TOO = (
    "How much does it cost to ship to Corsica?",
    "How long does it take to deliver to Spain?",
    "Is it free if I spend 60 euros?",
    "Do you ship to another country than France?",
    "Est-ce que vous livrez dans un autre pays ?",
    "Livrez-vous dans d'autres pays ?",
    "Quels sont les prix de la livraison et des échanges ?",
)
# Requests about an order without its number.
OF_THE_CURRENT_ORDER = (
    "Could you deliver it to 12 Main Street instead?",
    "Can you ship them together?",
    "Could you deliver to another address?",
    "Would you deliver to a different address?",
    "Can you ship to 4b, Old Mill Road?",
    "Could you deliver to my office?",
    "Can you deliver tomorrow?",
    "Could you ship earlier?",
    "How much does it cost to send it back?",
    "Can you change the delivery, is it free?",
    "Do you ship again for free if the box was empty?",
    "Pouvez-vous livrer à une autre adresse ?",
    "Pouvez-vous livrer plutôt samedi ?",
    "Pourriez-vous livrer chez ma voisine, combien ça coûte ?",
    "Vous pouvez livrer à la place au 8 bis rue des Lilas ?",
    "Vous livrez 3, avenue Foch ?",
    "Est-ce gratuit de modifier la livraison ?",
    "Combien pour changer de point relais ?",
    "Est-ce que vous pouvez la livrer vendredi, gratuitement ?",
    "Livrez-la au bureau, c'est gratuit ?",
    "Vous livrez demain ?",
    "Combien coûte un autre envoi ?",
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


@pytest.mark.parametrize("text", GENERAL + GENERAL_TOO)
def test_a_question_about_the_shop(text: str) -> None:
    assert asks_of_shop(an_event(text=text, numbers=find_order_numbers(text)))


@pytest.mark.parametrize("text", OF_AN_ORDER + OF_THE_CURRENT_ORDER)
def test_a_question_that_may_be_about_an_order(text: str) -> None:
    assert not asks_of_shop(an_event(text=text, numbers=find_order_numbers(text)))


def test_a_question_that_names_an_order() -> None:
    assert not asks_of_shop(an_event(text="How much is delivery?", numbers=("1042",)))
