"""The customer's display name, as a greeting may use it.

Anyone chooses their display name. One with a link, an amount or a sentence would be a stranger's
text in the shop's answer, so the greeting leaves it out.
"""

import re
import unicodedata
from typing import Final

from domain.intake.event import Channel, UnifiedEvent

_MAX_CHARS: Final = 60
_MAX_WORDS: Final = 6
# Longer names are written with capital letters; a sentence is not.
_FREE_WORDS: Final = 2
_MARKS: Final = frozenset(" '’.-,·")
# Between two letters a dot is a domain's; after more than a title or an initial it ends a sentence.
_DOT: Final = re.compile(r"\.(?=\w)(?!(?<=\b\w\.)\w)|(?<=\w{4})\.")
_WWW: Final = re.compile(r"\b(?:www|https?)\b", re.IGNORECASE)
_MONEY: Final = re.compile(
    r"\b(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|francs?|bitcoins?|btc)\b", re.IGNORECASE
)
_PARTICLES: Final = frozenset(
    {
        *("al", "and", "bin", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do"),
        *("dos", "du", "e", "el", "et", "i", "ibn", "la", "las", "le", "les", "los", "of", "ou"),
        *("van", "vom", "von", "y", "zu"),
    }
)
_PARTS: Final = re.compile(r"[\s'’.,·-]+")
# Words of sentences. Some are also names, so they count only among three words or more.
_IN_SENTENCES: Final = frozenset(
    {
        *("are", "been", "has", "have", "here", "his", "is", "it", "its", "not", "now"),
        *("our", "please", "that", "the", "their", "there", "they", "this", "was", "we"),
        *("were", "with", "won", "yes", "you", "your"),
        *("aux", "avec", "avez", "avons", "cela", "ces", "cette", "elles", "est", "ici"),
        *("ils", "je", "maintenant", "mes", "ne", "non", "notre", "nous", "oui", "pas"),
        *("pour", "ses", "sommes", "sont", "sur", "une", "votre", "vous", "êtes"),
    }
)
# Words of offers, threats and instructions. None is a part of a name.
_IN_OFFERS: Final = frozenset(
    {
        *("account", "approved", "blocked", "call", "canceled", "cancelled", "click"),
        *("confirm", "congratulations", "coupon", "discount", "dispatched", "expired"),
        *("expires", "gift", "immediately", "invoice", "login", "offer", "order", "parcel"),
        *("password", "pay", "payment", "promo", "refund", "refunded", "refunds", "shipped"),
        *("suspended", "transfer", "urgent", "verified", "verify", "visit", "voucher"),
        *("winner",),
        *("accepté", "acceptée", "annulé", "annulée", "appelez", "bloqué", "bloquée"),
        *("cadeau", "cliquez", "colis", "commande", "compte", "confirmez", "connexion"),
        *("expire", "expiré", "expirée", "expédiée", "facture", "félicitations", "gagnant"),
        *("gagnez", "gagné", "gratuit", "gratuite", "livraison", "offert", "offerte"),
        *("offerts", "paiement", "payez", "rappelez", "remboursement", "remboursé"),
        *("remboursée", "suspendu", "suspendue", "téléphonez", "urgence", "virement"),
        *("visitez", "vérifiez"),
    }
)
NAME_FIELDS: Final = frozenset(
    {"customer_name", "name", "first_name", "firstname", "last_name", "lastname", "full_name"}
)
"""Fields of an event that hold what the customer is called."""
_SUBJECT: Final = "subject"


def is_greetable(name: str) -> bool:
    """Return whether a display name reads as a name and as nothing else."""
    words = name.split()
    if not 0 < len(name) <= _MAX_CHARS or not 0 < len(words) <= _MAX_WORDS:
        return False
    if not all(mark.isalpha() or _is_accent(mark) or mark in _MARKS for mark in name):
        return False
    if _DOT.search(name) or _WWW.search(name) or _MONEY.search(name):
        return False
    parts = [part.casefold() for part in _PARTS.split(unicodedata.normalize("NFC", name)) if part]
    if not _IN_OFFERS.isdisjoint(parts):
        return False
    if len(parts) > _FREE_WORDS and not _IN_SENTENCES.isdisjoint(parts):
        return False
    said = [word for word in words if word.lower() not in _PARTICLES]
    return len(said) <= _FREE_WORDS or not any(word.islower() for word in said)


def greetable_fields(event: UnifiedEvent) -> dict[str, str]:
    """The event's fields without those that no answer repeats: a template's default takes their
    place.

    These are names that are not greeted, and every name and subject of a mail whose sender is not
    proved: its answer reaches the address in the From, whoever wrote the mail.
    """
    is_strangers = event.channel is Channel.EMAIL and not event.may_act
    left_out = NAME_FIELDS | {_SUBJECT} if is_strangers else frozenset()
    return {
        key: value
        for key, value in event.fields.items()
        if key not in left_out and (key not in NAME_FIELDS or is_greetable(value))
    }


def _is_accent(mark: str) -> bool:
    """Whether it is a mark that a letter of some scripts needs."""
    return unicodedata.category(mark) in ("Mn", "Mc")
