"""The six ready answers that `evaluation/sets/templates.yaml` speaks of, in both languages."""

from typing import Final

from domain.agent.brain import Category, Language, Template
from domain.agent.intent import Intent

_ANSWERS: Final[dict[Intent, tuple[Category, str, str]]] = {
    Intent.TRACK_ORDER: (
        Category.ORDER_STATUS,
        "Bonjour,\n\nVotre commande se suit dans votre compte, rubrique « Mes commandes ».",
        "Hello,\n\nYou can follow your order in your account, under “My orders”.",
    ),
    Intent.RETURN: (
        Category.REFUND_REQUEST,
        "Bonjour,\n\nVous avez 30 jours pour retourner un article : imprimez l'étiquette depuis "
        "votre compte. Le remboursement part sous 5 jours ouvrés.",
        "Hello,\n\nYou have 30 days to return an item: print the label from your account. The "
        "refund leaves within 5 working days.",
    ),
    Intent.PARCEL_LATE: (
        Category.SHIPPING_ISSUE,
        "Bonjour,\n\nNous ouvrons une enquête auprès du transporteur.",
        "Hello,\n\nWe are opening an inquiry with the carrier.",
    ),
    Intent.SIZE: (
        Category.PRODUCT_QUESTION,
        "Bonjour,\n\nLe guide des tailles est sur chaque page produit. Entre deux tailles, prenez "
        "la plus grande.",
        "Hello,\n\nThe size guide is on each product's page. Between two sizes, take the larger.",
    ),
    Intent.DAMAGED_ON_ARRIVAL: (
        Category.COMPLAINT,
        "Bonjour,\n\nNous sommes désolés. Envoyez-nous une photo, et nous le remplaçons.",
        "Hello,\n\nWe are sorry. Send us a photo, and we replace it.",
    ),
    Intent.INVOICE: (
        Category.OTHER,
        "Bonjour,\n\nVotre facture est dans votre compte, rubrique « Mes commandes ».",
        "Hello,\n\nYour invoice is in your account, under “My orders”.",
    ),
}


def _ready(intent: Intent, language: Language) -> Template:
    category, french, english = _ANSWERS[intent]
    return Template(
        id=f"{language}-{intent}",
        name=intent.value,
        category=category,
        language=language,
        body=french if language == "fr" else english,
        intent=intent,
    )


READY_ANSWERS: Final = tuple(
    _ready(intent, language) for intent in _ANSWERS for language in ("fr", "en")
)
