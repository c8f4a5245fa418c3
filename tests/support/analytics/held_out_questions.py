"""More questions with hand-labelled topics. They were written after the clustering was tuned, and
the clustering was not changed for them."""

from collections.abc import Mapping
from typing import Final

HELD_OUT: Final[Mapping[str, tuple[str, ...]]] = {
    "engraving": (
        "Peut-on faire graver un prénom sur le bracelet ?",
        "La gravure est-elle comprise dans le prix ?",
        "Combien de lettres pour une gravure ?",
        "Can you engrave a name on the bracelet?",
        "Is engraving included in the price?",
    ),
    "student discount": (
        "Avez-vous une réduction pour les étudiants ?",
        "Je suis étudiante, ai-je droit à une remise ?",
        "Do you have a student discount?",
        "Is there a reduction for students?",
        "How do I get the student code?",
    ),
    "physical shop": (
        "Avez-vous une boutique à Lyon ?",
        "Où se trouve votre magasin ?",
        "Quels sont les horaires du magasin de Lyon ?",
        "Do you have a store in Lyon?",
        "Where is your shop and when is it open?",
    ),
    "allergens": (
        "Ce savon contient-il des noix ?",
        "Quels allergènes dans la crème ?",
        "Je suis allergique au parfum, la crème convient-elle ?",
        "Does the cream contain nuts?",
        "Which allergens are in the soap?",
    ),
    "repair": (
        "Réparez-vous les montres cassées ?",
        "Le fermoir est cassé, peut-on le faire réparer ?",
        "Combien coûte une réparation de montre ?",
        "Do you repair broken watches?",
        "How much is a watch repair?",
    ),
    "newsletter": (
        "Comment me désinscrire de la newsletter ?",
        "Je reçois trop de courriels publicitaires, arrêtez la newsletter",
        "Je ne veux plus recevoir vos e-mails",
        "How do I unsubscribe from your newsletter?",
        "Please stop sending me marketing emails",
    ),
    "gift card": (
        "Vendez-vous des cartes cadeaux ?",
        "Quelle est la durée de validité d'une carte cadeau ?",
        "Ma carte cadeau a-t-elle expiré ?",
        "Do you sell gift cards?",
        "How long is a gift card valid?",
    ),
    "wholesale": (
        "Vendez-vous aux revendeurs ?",
        "Je tiens une boutique, avez-vous des tarifs de gros ?",
        "Quels sont vos prix pour les professionnels ?",
        "Do you sell wholesale?",
        "I own a shop, do you have trade prices?",
    ),
}
