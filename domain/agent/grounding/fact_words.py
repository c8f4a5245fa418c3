"""The words that facts are written with, folded, in French and English, and what they mean."""

from collections.abc import Iterable
from typing import Final


def either(words: Iterable[str]) -> str:
    """A pattern of any of these, the longest first."""
    return "|".join(
        word.replace(".", r"\.").replace("$", r"\$")
        for word in sorted(words, key=len, reverse=True)
    )


UNITS: Final = {
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "minute"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "heure", "heures", "h"), "hour"),
    **dict.fromkeys(("day", "days", "jour", "jours", "j"), "day"),
    **dict.fromkeys(("week", "weeks", "semaine", "semaines"), "week"),
    **dict.fromkeys(("month", "months", "mois"), "month"),
    **dict.fromkeys(("year", "years", "an", "ans", "annee", "annees"), "year"),
}

# Dollars are one currency here: "$" says no more.
CURRENCIES: Final = {
    **dict.fromkeys(("€", "eur", "euro", "euros"), "eur"),
    **dict.fromkeys(("$", "usd", "cad", "aud", "nzd", "dollar", "dollars", "us$", "ca$"), "$"),
    **dict.fromkeys(("£", "gbp", "pound", "pounds", "livre sterling", "livres sterling"), "gbp"),
    **dict.fromkeys(("chf", "franc", "francs", "francs suisses"), "chf"),
    **dict.fromkeys(("¥", "jpy", "yen", "yens"), "jpy"),
    **dict.fromkeys(("mad", "dirham", "dirhams"), "mad"),
    **{
        code: code
        for code in (
            "aed", "bgn", "brl", "cny", "czk", "dkk", "dzd", "hkd", "huf", "inr", "mxn", "nok",
            "pln", "ron", "sek", "sgd", "tnd", "xaf", "xof", "xpf", "zar",
        )
    },
}  # fmt: skip

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january janvier jan janv",
            "february fevrier feb fev fevr",
            "march mars mar",
            "april avril apr avr",
            "may mai",
            "june juin jun",
            "july juillet jul juil",
            "august aout aug",
            "september septembre sep sept",
            "october octobre oct",
            "november novembre nov",
            "december decembre dec",
        ),
        1,
    )
    for name in names.split()
}

DAYS: Final = {
    **dict.fromkeys(("today", "tonight", "aujourd'hui", "ce soir"), "today"),
    **dict.fromkeys(("tomorrow", "demain"), "tomorrow"),
    "apres-demain": "after tomorrow",
    "day after tomorrow": "after tomorrow",
    **dict.fromkeys(("yesterday", "hier"), "yesterday"),
    **dict.fromkeys(("next week", "semaine prochaine"), "next week"),
    **dict.fromkeys(("next month", "mois prochain"), "next month"),
    **dict.fromkeys(("monday", "mondays", "lundi", "lundis"), "monday"),
    **dict.fromkeys(("tuesday", "tuesdays", "mardi", "mardis"), "tuesday"),
    **dict.fromkeys(("wednesday", "wednesdays", "mercredi", "mercredis"), "wednesday"),
    **dict.fromkeys(("thursday", "thursdays", "jeudi", "jeudis"), "thursday"),
    **dict.fromkeys(("friday", "fridays", "vendredi", "vendredis"), "friday"),
    **dict.fromkeys(("saturday", "saturdays", "samedi", "samedis"), "saturday"),
    **dict.fromkeys(("sunday", "sundays", "dimanche", "dimanches"), "sunday"),
}

ONE: Final = "an?|one|une?"

_SMALL: Final = (
    "one un une|two deux couple|three trois|four quatre|five cinq|six|seven sept|eight huit"
    "|nine neuf|ten dix dizaine|eleven onze|twelve douze douzaine|thirteen treize"
    "|fourteen quatorze|fifteen quinze quinzaine|sixteen seize|seventeen dix-sept"
    "|eighteen dix-huit|nineteen dix-neuf|twenty vingt vingtaine"
)
NUMBERS: Final = {
    **{
        word: number
        for number, words in enumerate(_SMALL.split("|"), 1)
        for word in words.split()
        if number > 1
    },
    **dict.fromkeys(("twenty-one", "twenty one", "vingt et un", "vingt-et-un"), 21),
    **dict.fromkeys(("twenty-four", "twenty four", "vingt-quatre", "vingt quatre"), 24),
    **dict.fromkeys(("twenty-eight", "twenty eight", "vingt-huit", "vingt huit"), 28),
    **dict.fromkeys(("thirty", "trente", "trentaine"), 30),
    **dict.fromkeys(("forty", "quarante", "quarantaine"), 40),
    **dict.fromkeys(("forty-five", "forty five", "quarante-cinq", "quarante cinq"), 45),
    **dict.fromkeys(("forty-eight", "forty eight", "quarante-huit", "quarante huit"), 48),
    **dict.fromkeys(("fifty", "cinquante", "cinquantaine"), 50),
    **dict.fromkeys(("sixty", "soixante", "soixantaine"), 60),
    **dict.fromkeys(("seventy-two", "seventy two", "soixante-douze", "soixante douze"), 72),
    **dict.fromkeys(("ninety", "quatre-vingt-dix", "quatre vingt dix"), 90),
    **dict.fromkeys(("quatre-vingt", "quatre-vingts", "quatre vingt", "eighty"), 80),
    **dict.fromkeys(("seventy", "soixante-dix", "soixante dix"), 70),
    **dict.fromkeys(("hundred", "cent", "cents", "centaine"), 100),
    **dict.fromkeys(("thousand", "mille"), 1000),
}
