"""The demo shop's templates and knowledge, in French and in English."""

from typing import Final, NamedTuple

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from services.content.templates import NewTemplate

BRAND: Final = "Maison Lavande"
OWNER: Final = "owner@maison-lavande.example"
SENDER: Final = "bonjour@maison-lavande.example"


class DemoKnowledge(NamedTuple):
    title: str
    language: Language
    body: str


TEMPLATES: Final = (
    NewTemplate(
        "Suivi de commande", Category.ORDER_STATUS, "fr",
        "{{ greeting }}\n\nVotre commande {{ order_number }} se suit à "
        "cette adresse : {{ tracking_url }}. Elle y est à jour plusieurs fois par jour.\n\n"
        "{{ sign_off }}",
        intent=Intent.TRACK_ORDER,
    ),
    NewTemplate(
        "Order tracking", Category.ORDER_STATUS, "en",
        "{{ greeting }}\n\nYou can follow your order {{ order_number }} here: "
        "{{ tracking_url }}. The page is updated several times a day.\n\n{{ sign_off }}",
        intent=Intent.TRACK_ORDER,
    ),
    NewTemplate(
        "Demande de retour", Category.REFUND_REQUEST, "fr",
        "{{ greeting }}\n\nPour la commande {{ order_number }}, vous "
        "disposez de 30 jours après réception pour demander un remboursement : imprimez "
        "l'étiquette de retour depuis votre compte, et le remboursement part sous 5 jours "
        "ouvrés après l'arrivée du colis.\n\n{{ sign_off }}",
        intent=Intent.RETURN,
    ),
    NewTemplate(
        "Refund request", Category.REFUND_REQUEST, "en",
        "{{ greeting }}\n\nFor order {{ order_number }} you have 30 days after "
        "delivery to ask for a refund: print the return label from your account, and the refund "
        "leaves within 5 working days of the parcel's arrival.\n\n{{ sign_off }}",
        intent=Intent.RETURN,
    ),
    # The agent selects this template only if a refund is allowed, because `refund_amount` is known
    # only in that case.
    NewTemplate(
        "Remboursement effectué", Category.REFUND_REQUEST, "fr",
        "{{ greeting }}\n\nC'est fait : nous vous remboursons "
        "{{ refund_amount }} pour la commande {{ order_number }}. La somme arrive sur votre compte "
        "sous 5 jours ouvrés.\n\n{{ sign_off }}",
        intent=Intent.REFUND,
    ),
    NewTemplate(
        "Refund made", Category.REFUND_REQUEST, "en",
        "{{ greeting }}\n\nIt is done: we are refunding {{ refund_amount }} "
        "for order {{ order_number }}. The money reaches your account within 5 working days.\n\n"
        "{{ sign_off }}",
        intent=Intent.REFUND,
    ),
    NewTemplate(
        "Colis en retard", Category.SHIPPING_ISSUE, "fr",
        "{{ greeting }}\n\nNous sommes désolés pour la livraison de la "
        "commande {{ order_number }}. Nous ouvrons une enquête auprès du transporteur ; sans "
        "nouvelles du colis sous 5 jours ouvrés, nous vous le renvoyons à nos frais.\n\n"
        "{{ sign_off }}",
        intent=Intent.PARCEL_LATE,
    ),
    NewTemplate(
        "Parcel delayed", Category.SHIPPING_ISSUE, "en",
        "{{ greeting }}\n\nWe are sorry about the delivery of order "
        "{{ order_number }}. We are opening an inquiry with the carrier; if the parcel does not "
        "turn up within 5 working days we send it again at our cost.\n\n{{ sign_off }}",
        intent=Intent.PARCEL_LATE,
    ),
)  # fmt: skip

KNOWLEDGE: Final = (
    DemoKnowledge(
        "Délais et frais de livraison", "fr",
        "La livraison standard prend 2 à 4 jours ouvrés en France métropolitaine et coûte 4,90 €. "
        "Elle est offerte dès 60 € d'achat. La livraison express en 24 heures coûte 9,90 €.",
    ),
    DemoKnowledge(
        "Shipping times and costs", "en",
        "Standard shipping within Europe takes 3 to 6 working days and costs €7.90. "
        "It is free for orders above €80.",
    ),
    DemoKnowledge(
        "Entretien de la couverture en lin lavé", "fr",
        "La couverture en lin lavé se lave en machine à 30 °C, essorage doux, et sèche à l'air "
        "libre. Pas de sèche-linge ni de javel.",
    ),
    DemoKnowledge(
        "Washing the linen blanket", "en",
        "The washed-linen blanket can be machine washed at 30 °C on a gentle spin and dries in the "
        "open air. No tumble dryer, no bleach.",
    ),
    DemoKnowledge(
        "Compatibility of the lamp Aube with LED bulbs", "en",
        "The lamp Aube takes any E27 LED bulb up to 12 W. It is not dimmable.",
    ),
    DemoKnowledge(
        "Tailles des peignoirs", "fr",
        "Les peignoirs existent en S, M, L et XL. Entre deux tailles, prenez la plus grande : "
        "le coton rétrécit d'environ 3 % au premier lavage.",
    ),
)  # fmt: skip
