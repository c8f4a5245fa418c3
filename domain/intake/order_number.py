"""The order in what a customer wrote: its number, or that there is one."""

import re
from typing import Final

from domain.core.text import fold
from domain.intake.event import UnifiedEvent

_SEARCHED_CHARS: Final = 20_000
_WORD: Final = r"(?:commandes?|cde|orders?|bestellung|pedido|ordine|bestelling)"
_MARK: Final = r"(?:num[ée]ro|number|num|no\.?|nr\.?|n[°ºo]\.?|id|ref(?:erence|érence)?\.?|réf\.?)"
_NUMBER: Final = r"(?P<number>[A-Za-z0-9][A-Za-z0-9-]{0,23}[A-Za-z0-9])"
# What may not stand behind: more groups of a phone number, a date, a decimal or a time.
_END: Final = r"(?![\w@%€$£])(?!-)(?![ ]?[./,:][ ]?\d)(?! \d{2}\b)"
_BEHIND_HASH: Final = re.compile(
    r"(?<![\w&/#=?.])#[ ]?(?P<number>(?:[A-Za-z]{1,4}-?)?\d{3,15}(?:-[A-Za-z0-9]{1,6})?)" + _END
)
_MARKED: Final = re.compile(
    rf"\b{_WORD}(?:[ ]{{0,2}}(?:(?P<mark>{_MARK})|is|est(?: le)?))?"
    rf"[ ]{{0,2}}(?P<sign>[:#]?)[ ]{{0,2}}#?{_NUMBER}{_END}",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}-\d{1,2}-\d{2,4})")
_PHONE: Final = re.compile(r"0\d{9}|00\d{8,13}|33\d{9}")
_QUANTITY: Final = re.compile(
    r"[ ]?(?:€|\$|£|euros?|eur|usd|pi[èe]ces?|pcs|units?|unités?|articles?|items?|jours?"
    r"|days?|x)\b|[ ]?[€$£%]",
    re.IGNORECASE,
)
_ABOUT_ORDERS: Final = re.compile(
    r"\b(?:command|colis|livr|expedi|rembours|annul|suivi|retour|recu|paquet|achat|achet"
    r"|order|parcel|packag|deliver|ship|refund|money back|cancel|track|return|receiv|purchas"
    r"|bought)"
)


def asks_about_order(event: UnifiedEvent) -> bool:
    """Whether an order should be looked up: the customer is known, and one is spoken of."""
    if not (event.customer_email and event.customer_verified):
        return False
    return bool(event.order_number or _ABOUT_ORDERS.search(fold(event.words[:_SEARCHED_CHARS])))


def find_order_number(text: str) -> str | None:
    """The first order number in `text`, without "#"; None when there is none.

    "#1234", "commande n° 1234", "order 1234". Never a phone number, a date or a price: a bare
    number behind the word "order" needs four digits and must not be a year or a quantity.
    """
    searched = text[:_SEARCHED_CHARS]
    for match in _MARKED.finditer(searched):
        marked = bool(match["mark"] or match["sign"] or "#" in match[0])
        if _is_order_number(match["number"], marked=marked) and not (
            not marked and _QUANTITY.match(searched, match.end())
        ):
            return match["number"]
    for match in _BEHIND_HASH.finditer(searched):
        if _is_order_number(match["number"], marked=True):
            return match["number"]
    return None


def _is_order_number(number: str, *, marked: bool) -> bool:
    digits = sum(character.isdigit() for character in number)
    if not digits:
        # PrestaShop's references are nine capital letters.
        return marked and len(number) == 9 and number.isupper()
    if _DATE.fullmatch(number) or _PHONE.fullmatch(number):
        return False
    if marked:
        return digits >= 2
    return digits >= 4 and not re.fullmatch(r"(?:19|20)\d\d", number)
