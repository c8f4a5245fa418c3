"""Decide whether a question about delivery concerns the shop in general rather than an order.

The answer needs no verified address, because it contains no customer's data. A wrong decision does
not expose any data either.
"""

import re
from typing import Final

from domain.core.text import fold
from domain.intake.event import UnifiedEvent

# A longer message usually describes a problem with an order.
_MAX_CHARS: Final = 300
_OF_SHOP: Final = re.compile(
    # Prices.
    r"\b(?:how much|costs?|prices?|pricing|fees?|rates?|free"
    r"|combien|cout\w*|prix|tarifs?|frais|gratuit\w*|offerte?s?)\b"
    # Destinations and delays.
    r"|\b(?:do|can|could|would) you (?:\w+ )?(?:ship|deliver)\b"
    r"|\b(?:livrez|expediez)[ -]vous\b|\bvous (?:livrez|expediez|livrer|expedier)\b"
    r"|\bhow long (?:does|do|is|are)\b|\bdelais? (?:de|d'|habituel)"
)
_OF_ORDER: Final = re.compile(
    r"\b(?:my|our|mine|mon|ma|mes|notre|nos|votre ref|the|this|that|le|la|les|ce|cette|ces|l')"
    r" ?(?:\w+ )?(?:orders?|parcels?|packages?|refunds?|purchases?|commandes?|colis|paquets?"
    r"|remboursements?|achats?)\b"
    r"|\b(?:my|our|mon|ma|mes|notre|nos) (?:\w+ )?(?:delivery|shipping|shipment|returns?|livraison"
    r"|retours?|frais|fees?)\b"
    r"|\b(?:i|we) (?:have|was|were|did|already|just|never|paid|bought|ordered|received|got)\b"
    r"|\b(?:did|have|had|was|were) (?:i|we)\b"
    r"|\b(?:i've|we've|j'ai|nous avons|on m'a|m'avez|j'avais)\b"
    r"|\b(?:refund\w*|rembours\w*|money back|cancel\w*|annul\w*|track\w*|suivi\w*|charged|debite\w*"
    r"|preleve\w*|recue?s?|received|arrived?|arrivee?s?|late|retard|perdue?|lost|where|ou est|when"
    r"|quand|still|toujours|encore)\b"
    # Pronouns that refer to an order or a parcel. In "it costs", the pronoun refers to nothing.
    r"|(?<!\bdoes )(?<!\bis )\bit\b(?! (?:costs?|takes?)\b)"
    r"|\b(?:does it(?! (?:cost|take)\b)|is it(?! (?:free|possible)\b)|them)\b"
    r"|\b(?:(?:le|la|les) |l')(?:re)?(?:livre[rz]|expedie[rz]|envoye[rz])\b"
    r"|\b(?:livre[rz]|expedie[rz]|envoye[rz])-l(?:e|a|es)\b"
    # Changes: another address or another day.
    r"|\b(?:instead|rather|plutot|a la place|again|de nouveau|chang\w*|modif\w*|redirect\w*"
    r"|re-?(?:deliver|ship|send|livr|expedi)\w*|earlier|sooner|later|plus (?:tot|tard)"
    r"|tomorrow|demain|address(?:es)?|adresses?)\b"
    r"|\banother\b(?! (?:country|carrier|way|option)\b)"
    r"|\bune? autre\b(?! (?:pays|mode|moyen|transporteur)\b)"
    r"|\b(?:my|our|chez|mon|ma|notre|au) (?:\w+ )?(?:office|work|workplace|home|house|flat|door"
    r"|neighbou?rs?|friends?|bureau|travail|domicile|maison|voisine?s?|amie?s?|porte)\b"
    r"|\b\d+ ?[a-z]?,? (?:(?:bis|ter),? )?(?:rue|avenue|boulevard|chemin|allee|impasse|quai)\b"
    r"|\b\d+ ?[a-z]?,? (?:\w+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|square)\b"
)


def asks_of_shop(event: UnifiedEvent) -> bool:
    """Return True if the message asks about the shop's delivery prices, destinations or delays.
    Return False if any part of it may be about one of the customer's orders."""
    if event.order_number or event.order_numbers or len(event.words) > _MAX_CHARS:
        return False
    said = fold(event.words).replace("\u2019", "'")
    return bool(_OF_SHOP.search(said)) and not _OF_ORDER.search(said)
