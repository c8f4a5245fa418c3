"""Find the order numbers in a customer's message, and decide whether the message is about an order.

An ambiguous number counts as an order number, and the agent then asks which order is meant. A
missed number could cause an action on the wrong order.
"""

import re
from collections.abc import Iterable
from typing import Final

from domain.core.effort import spend
from domain.core.text import fold, unaccented
from domain.intake.event import UnifiedEvent
from domain.intake.number_search import Search

_SEARCHED_CHARS: Final = 8_000
# Number of regular expressions that scan the text, used for the effort budget.
_PASSES: Final = 12
MAX_NUMBERS: Final = 10
_ABOUT_ORDERS: Final = re.compile(
    r"\b(?:command|colis|livr|expedi|rembours|annul|suivi|retour|recu|paquet|achat|achet"
    r"|order|parcel|packag|deliver|ship|refund|money back|cancel|track|return|receiv|purchas"
    r"|bought)"
)
_ANNOUNCED: Final = "order no. "
_ANY: Final = re.compile("[0-9]|[A-Z]{9}")
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
# Emphasis marks, and any dash between letters and digits.
_MARKUP: Final = re.compile("[*`~_]{2,}|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])|[*`~]")
_DASH: Final = re.compile("(?<=[A-Za-z0-9])[\u2010-\u2015\u2212](?=[A-Za-z0-9])")


def asks_about_order(event: UnifiedEvent) -> bool:
    """Return True if the agent should look up an order for the event.

    The agent must be allowed to read the customer's orders, and the message must be about an order.
    """
    return event.may_read and speaks_of_order(event)


def speaks_of_order(event: UnifiedEvent) -> bool:
    """Return True if the message is about an order: it mentions an order number or uses words about
    orders."""
    return bool(event.order_number or _ABOUT_ORDERS.search(fold(event.words[:_SEARCHED_CHARS])))


def find_order_numbers(text: str, *, asked: bool = False) -> tuple[str, ...]:
    """Return the numbers in `text` that may identify an order: upper case, in text order, distinct,
    at most MAX_NUMBERS.

    If `asked` is true, the agent asked for the number, and a bare number counts. Phone numbers,
    prices, dates, measures and tracking numbers do not count. Reads the first _SEARCHED_CHARS
    characters in linear time.
    """
    plain = _plain(text)
    spend(_PASSES * len(plain))
    if not _ANY.search(plain):
        return ()
    found = Search(plain, asked=asked).numbers()
    return tuple(dict.fromkeys(found))[:MAX_NUMBERS]


def is_order_number(text: str) -> bool:
    """Return True if the text is one order number and nothing else. The number must have a form
    that is recognized in messages."""
    found = find_order_numbers(f"{_ANNOUNCED}{text.strip()}", asked=True)
    return [_spelt(number) for number in found] == [_spelt(text.strip())]


def numbers_of_author(event: UnifiedEvent) -> tuple[str, ...]:
    """Return the order numbers that the verified author wrote.

    A code verifies the author of one message. Another person may have written the subject, the
    fields and the earlier text.
    """
    if not event.is_proved_by_code:
        return event.order_numbers
    if event.asked_before_code:
        return ()
    written = {_spelt(number) for number in find_order_numbers(event.text, asked=True)}
    return tuple(number for number in event.order_numbers if _spelt(number) in written)


def with_asked_number(event: UnifiedEvent) -> UnifiedEvent:
    """Return the event with its text parsed as the answer to "Which order?", in which a bare number
    is treated as an order number."""
    found = find_order_numbers(event.text, asked=True)
    numbers = same_once((*event.order_numbers, *found))
    first = next(iter(numbers), None)
    more = {"order_number": first} if first else {}
    return event.model_copy(
        update={"order_numbers": numbers, **more, "fields": {**event.fields, **more}}
    )


def same_once(numbers: Iterable[str]) -> tuple[str, ...]:
    """Return each number once, in its first spelling, up to MAX_NUMBERS. Case and "#" are
    ignored."""
    spelt: dict[str, str] = {}
    for number in numbers:
        spelt.setdefault(_spelt(number), number)
    return tuple(spelt.values())[:MAX_NUMBERS]


def _spelt(number: str) -> str:
    return number.lstrip("# ").casefold()


def _plain(text: str) -> str:
    """Return the text with unaccented Latin letters and ASCII digits, without emphasis marks."""
    plain = unaccented(_UNSEEN.sub("", text[:_SEARCHED_CHARS]))[:_SEARCHED_CHARS]
    plain = plain.replace("’", "'").replace("№", "no").replace("\t", " ")
    return _DASH.sub("-", _MARKUP.sub("", plain))
