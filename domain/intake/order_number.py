"""The orders that a customer writes about: their numbers, or that there is one.

A number counts by what stands around it. In doubt it counts: then the agent asks which order is
meant, and a number that was overlooked might let it act on another one.
"""

import re
from collections.abc import Iterable
from typing import Final

from domain.core.effort import spend
from domain.core.text import fold, unaccented
from domain.intake.event import UnifiedEvent
from domain.intake.number_search import Search

_SEARCHED_CHARS: Final = 8_000
# So many expressions look through the text.
_PASSES: Final = 12
MAX_NUMBERS: Final = 10
_ABOUT_ORDERS: Final = re.compile(
    r"\b(?:command|colis|livr|expedi|rembours|annul|suivi|retour|recu|paquet|achat|achet"
    r"|order|parcel|packag|deliver|ship|refund|money back|cancel|track|return|receiv|purchas"
    r"|bought)"
)
_ANY: Final = re.compile("[0-9]|[A-Z]{9}")
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
# Emphasis and the like; a dash between letters and digits, however it is drawn.
_MARKUP: Final = re.compile("[*`~_]{2,}|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])|[*`~]")
_DASH: Final = re.compile("(?<=[A-Za-z0-9])[\u2010-\u2015\u2212](?=[A-Za-z0-9])")


def asks_about_order(event: UnifiedEvent) -> bool:
    """Whether an order should be looked up: the customer is known, and one is spoken of."""
    return event.may_read and speaks_of_order(event)


def speaks_of_order(event: UnifiedEvent) -> bool:
    """Whether the message is about an order."""
    return bool(event.order_number or _ABOUT_ORDERS.search(fold(event.words[:_SEARCHED_CHARS])))


def find_order_numbers(text: str, *, asked: bool = False) -> tuple[str, ...]:
    """Every number in `text` that may name an order, in order and each once, at most 10.

    Upper case, without "#" or "n°". `asked`: the agent had asked for the number, so that a bare one
    is the answer. Never a phone number, a price, a date, a measure or a parcel's number. Linear in
    the text, of which 8,000 characters are read, as many as the agent reads.
    """
    plain = _plain(text)
    spend(_PASSES * len(plain))
    if not _ANY.search(plain):
        return ()
    found = Search(plain, asked=asked).numbers()
    return tuple(dict.fromkeys(found))[:MAX_NUMBERS]


def numbers_of_author(event: UnifiedEvent) -> tuple[str, ...]:
    """Return the numbers that the proved author wrote.

    A code proves the author of one message. The ticket's subject and fields, and the words before
    the code, may be another person's.
    """
    if not event.is_proved_by_code:
        return event.order_numbers
    if event.asked_before_code:
        return ()
    written = {_spelt(number) for number in find_order_numbers(event.text, asked=True)}
    return tuple(number for number in event.order_numbers if _spelt(number) in written)


def with_asked_number(event: UnifiedEvent) -> UnifiedEvent:
    """The event, its text read as the answer to "Which order?": a bare number counts."""
    found = find_order_numbers(event.text, asked=True)
    numbers = same_once((*event.order_numbers, *found))
    first = next(iter(numbers), None)
    more = {"order_number": first} if first else {}
    return event.model_copy(
        update={"order_numbers": numbers, **more, "fields": {**event.fields, **more}}
    )


def same_once(numbers: Iterable[str]) -> tuple[str, ...]:
    """Each number once, however its letters are written, as it is written first: at most 10."""
    spelt: dict[str, str] = {}
    for number in numbers:
        spelt.setdefault(_spelt(number), number)
    return tuple(spelt.values())[:MAX_NUMBERS]


def _spelt(number: str) -> str:
    return number.lstrip("# ").casefold()


def _plain(text: str) -> str:
    """Latin letters without accents, digits as in ASCII, and no marks of emphasis."""
    plain = unaccented(_UNSEEN.sub("", text[:_SEARCHED_CHARS]))[:_SEARCHED_CHARS]
    plain = plain.replace("’", "'").replace("№", "no").replace("\t", " ")
    return _DASH.sub("-", _MARKUP.sub("", plain))
