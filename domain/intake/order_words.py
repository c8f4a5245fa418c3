"""The patterns around order numbers: regular expressions for lower-case text, built from
`order_words.yaml`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.core.lexicon import LexiconFile, lexicon

Words = tuple[str, ...]

_MONTHS: Final = (
    r"(?:janv|fevr|mars|avr|mai|juin|juil|aout|sept|octo?|nov|dec|jan|feb|mar|apr|may|june?|july?|aug"
    r"|marz|okt|dez|ene|abr|ago|dic|gen|mag|giu|lug|ott|mrt|mei|maj|sty|lut|kwi|cze|lip|sie|wrz|paz|lis|gru)"
    r"[a-z]{0,7}\.?"
)


class OrderWords(LexiconFile):
    orders: Words
    compounds: Words
    marks: Words
    fillers: Words
    denials: Words
    joins: Words
    acting: Words
    requests: Words
    matters: Words
    others: Words
    asides: Words
    currencies: Words
    units: Words
    streets: Words
    models: Words


@dataclass(frozen=True, slots=True)
class Around:
    """The patterns for text around a number.

    - `lead`: "order number is " before a number.
    - `mark`: "no. " alone.
    - `request`: "refund the ".
    - `joins`: ", and " between two numbers.
    - `other`: the end of the text before a number that is not an order number, such as "tracking".
    - `acting`: the end of the text before "order" as a verb, such as "I want to ".
    - `aside`: the end of the text before a number that does not answer the question for an order
      number, such as "since ".
    - `behind`: " order" after a number.
    - `matters`: a word about a refund or a cancellation.
    - `unit`: " cm" after a number.
    - `never`: numbers that are not order numbers in any context, such as prices and dates.
    - `never_with_at`: `never` and email addresses, which are expensive to search for.
    - `hardly`: numbers that are probably not order numbers, such as a house number.
    """

    lead: re.Pattern[str]
    mark: re.Pattern[str]
    request: re.Pattern[str]
    joins: re.Pattern[str]
    mended: re.Pattern[str]
    other: re.Pattern[str]
    acting: re.Pattern[str]
    aside: re.Pattern[str]
    behind: re.Pattern[str]
    unit: re.Pattern[str]
    models: frozenset[str]
    matters: re.Pattern[str]
    never: re.Pattern[str]
    never_with_at: re.Pattern[str]
    hardly: re.Pattern[str]


@cache
def around() -> Around:
    """Return the patterns around an order number, in all languages of the word lists."""
    words = lexicon(__file__, OrderWords)
    order = rf"(?:{_any(words.orders)})"
    mark = rf"(?:{_any(words.marks)})(?:\.|(?![a-z]))"
    gap = r"[ \t]{0,3}"
    # A line break may separate the word from its number.
    filler = (
        rf"(?:{mark}"
        rf"|(?:with|avec|mit|met|con|com|de|of|portant)(?=[ ](?:(?:the|le|la|l|a|un)[ '])?{mark})"
        rf"|(?P<denied>(?:{_any(words.denials)})(?![a-z]))"
        rf"|(?:{_any(words.fillers)})(?![a-z])'?"
        r"|(?P<sign>[:=#]|->)|[(\[\"'«»“”._–—-]|\r?\n"
        r"|,(?=[ ]?(?:la|le|l'|the|n ?°|no\b|num|it|c'?est|#)))"
    )
    urls, never = (r"(?:https?://|www\.)\S{1,2000}",), _never(words)
    return Around(
        lead=re.compile(
            rf"(?<![a-z0-9])(?:(?P<before>{mark}){gap}(?:(?:de|du|d|of|my|your|ma|votre|der|dell?|van|do|da|la|l'|d')"
            rf"(?![a-z]){gap}){{0,2}})?"
            rf"(?:(?P<compound>{_any(words.compounds)})|(?P<order>{order}))(?![a-z])"
            rf"(?P<between>(?:{gap}{filler}){{0,7}}{gap})"
        ),
        mark=re.compile(
            rf"(?<![a-z0-9])(?P<mark>{mark})"
            rf"(?P<between>(?:{gap}(?:[:=#]|(?:is|est|says|est le|it's)(?![a-z]))){{0,2}}{gap})"
        ),
        request=re.compile(
            rf"(?<![a-z])(?:{_any(words.requests)})(?:[ -](?:moi|nous|me|us|mir|uns|mi|nos))?"
            r"(?:[ ](?:la|le|the|my|ma|mon|for|on|of|pour|sur|cette|this|die|el|il|de))*[ ]"
        ),
        joins=re.compile(
            rf"(?:[ ]?(?:[,;/&+()]|(?:{_any(words.joins)})(?![a-z])|{mark}|{order}(?![a-z])|#))"
            r"{1,5}[ ]?"
        ),
        mended=re.compile(
            r"[ ]?[,;.]?"
            r"(?:[ ]?(?:but|mais|sondern|sino|ma|maar|it's|it is|its|c'est|cest|plutot|rather"
            rf"|the|la|le|n ?°|#|{order}))*[ ]?"
        ),
        other=re.compile(
            rf"(?<![a-z])(?:{_any(words.others)})(?:[ ](?:de|du|d|of|la|le|my|the|en|l))?"
            r"(?:'s)?[ .:'-]*$"
        ),
        acting=re.compile(rf"(?<![a-z])(?:{_any(words.acting)})[ ]{{0,2}}$"),
        aside=re.compile(
            rf"(?<![a-z])(?:{_any(words.asides)})[ ]?(?:the|le|la|un|a|an)?"
            r"(?:[ ]?\d{1,6}[ ](?:et|and|to|a|y|und|e|en|i|ou|or))?[ ]{0,2}$"
        ),
        behind=re.compile(rf"[ ]{{1,2}}(?:{order}|cmd)(?![a-z0-9])"),
        unit=re.compile(rf"[ ]?(?:{_any(words.units)})(?![a-z0-9])|[ ]?[%°]|[ ]?[x×][ ]?\d"),
        models=frozenset(words.models),
        matters=re.compile(rf"(?<![a-z])(?:{_any(words.matters)})"),
        never=re.compile("|".join((*urls, *never))),
        never_with_at=re.compile("|".join((*urls, r"[^\s@]{1,64}@\S{1,255}", *never))),
        hardly=_hardly(words),
    )


def _never(words: OrderWords) -> tuple[str, ...]:
    # The number of groups is limited, so that a long list of numbers takes linear time.
    money = r"(?:\d{1,3}(?:[ .,]\d{3}){1,4}|\d{1,9})(?:[.,]\d{1,2})?"
    currency = rf"(?:{_any(words.currencies)})(?![a-z])"
    number = r"(?:n ?°|no|nr|num\w{0,5}|number|code|id|is|est|are|link|lien)"
    token = r"[a-z0-9-]*\d[a-z0-9-]*"  # noqa: S105 - a part of a number
    tracking = r"(?:tracking|suivi|seguimiento|sendungsnummer|sendungs-?nr)"
    year = r"(?:[ ,]{0,2}(?:de[ ])?(?:19|20)\d\d)"
    return (
        # Phone numbers
        r"(?<![\w+])(?:\+|00)\d[\d .()/-]{6,18}\d",
        r"(?<![\w.,-])0\d(?:[ .-]?\d\d){4}(?![\w])",
        r"(?<![\w.,-])0\d{2,4}(?:[ .-]\d{2,6}){1,4}(?![\w])",
        r"(?<![\w.,-])(?:0\d{9,10}|33\d{9})(?!\w)",
        r"(?<![\w-])\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?!\w)",
        # Prices
        rf"(?:[€$£¥]|(?<![a-z])(?:rs|eur|usd|chf|gbp|inr)\.?)[ ]?{money}(?!\d)",
        rf"(?<![\w.,-]){money}[ ]?(?:[€$£¥](?![ ]?\d)|{currency}|/-)",
        r"(?<![\w.,-])\d{1,6}[.,]\d{1,2}(?![\w]|[.,/]\d)",
        # Dates and times
        r"(?<![\w-])\d{1,4}([/.-])\d{1,2}\1\d{2,4}(?!\w)",
        r"(?<![\w/-])\d{1,2}[/.]\d{1,2}(?![\w/])",
        rf"(?<![\w-])\d{{1,2}}(?:er|st|nd|rd|th|\.)?[ ](?:de[ ]|of[ ])?{_MONTHS}{year}?(?!\w)",
        rf"(?<![a-z]){_MONTHS}[ ]\d{{1,2}}(?:st|nd|rd|th)?(?:,?[ ](?:19|20)\d\d)?(?!\w)",
        rf"(?<![a-z]){_MONTHS}[ ](?:19|20)\d\d(?!\w)",
        r"(?<![\w-])\d{1,2}[ ]?[:h][ ]?\d{2}(?!\w)",
        # Bank account and parcel numbers
        r"(?<!\w)[a-z]{2}\d{2}[ ]?[a-z0-9]{4}(?:[ ]?(?=[a-z]{0,3}\d)[a-z0-9]{4}){2,7}"
        r"(?:[ ]?\d{1,3})?(?!\w)",
        r"(?<!\w)[a-z]{2}[ ]?\d{4}(?:\.\d{3}){2}(?!\w)",
        r"(?<!\w)1z[ ]?[a-z0-9]{16}(?!\w)",
        r"(?<!\w)[a-z]{2}\d{9}[a-z]{2}(?!\w)",
        r"(?<!\w)\d{4}(?:[ ]\d{4}){2,4}(?!\w)",
        rf"(?<![a-z]){tracking}(?:[ ]{number}(?![a-z])\.?|[ ]?[:#]){{0,3}}[ ]?{token}",
    )


def _hardly(words: OrderWords) -> re.Pattern[str]:
    street = rf"(?:{_any(words.streets)})(?![a-z])"
    forms = (
        r"(?<![\w-])\d{1,5}[ ]?[x×][ ]?\d{1,5}(?:[ ]?[x×][ ]?\d{1,5})?(?!\w)",
        rf"(?<![\w-])\d{{1,5}},?[ ](?:(?:bis|ter)[ ])?(?:[a-z'-]{{2,20}}[ ]){{0,2}}{street}",
        rf"(?<![a-z]){street}[^\n,;:]{{0,40}}?[ ,]\d{{1,5}}(?!\w)",
    )
    return re.compile("|".join(forms))


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))
