"""The grammar: the forms of clauses that request an action.

Each form is a pattern over the grammatical roles of the words. Angle brackets denote a class of
roles.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.speech.clause import Clause
from domain.agent.speech.vocabulary import ACTION_FORMS, SpeechRole

_CLASSES: Final = {
    "lead": "fpyxadoOzrLPcqei",
    "unsure": "fpyxadoOzrLPcqeiD",
    "gap": "fp",
    "topic": "fpadoOzrLPqet",
    "i": "i",
    "whom": "mui",
    "you": "u",
    "me": "mi",
    "pro": "aPyr",
    "wish": "wW",
    "i_wish": "W",
    "polite": "V",
    "that": "K",
    "soft": "k",
    "may": "M",
    "mind": "G",
    "be": "b",
    "light": "lb",
    "give": "g",
    "back": "B",
    "money": "$",
    "to": "tr",
    "des": "adoeqtrf",
    "object": "adotOzPLqr",
    "order": "Oz",
    "please": "p",
    "imp": "13",
    "said": "123",
    "inf": "23",
    "base": "7",
    "part": "34",
    "subj": "513",
    "noun": "67",
    "pure": "6",
    "gerund": "8",
    "weak": "9",
    "unsent": "j",
    "named": "fadoPLq",
    "commanded": "oadmOzPqL",
    "own_thing": "oadmiOzPLqpst$",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a request between the parts `start` and `end` of a clause. `bare`: a noun without
    a verb. `polite`: phrased as a question. `sure`: without typos."""

    kind: ActionKind
    start: int
    end: int
    plain: bool
    bare: bool
    polite: bool
    sure: bool


# A form that contains one of these roles is a request even if it is phrased as a question.
_ASKS_BY_FORM: Final = frozenset({SpeechRole.POLITE, SpeechRole.MIND, SpeechRole.MAY})
_VERBAL: Final = frozenset(
    {
        SpeechRole.POLITE,
        SpeechRole.MIND,
        SpeechRole.WISH,
        SpeechRole.I_WISH,
        SpeechRole.WISH_THAT,
        SpeechRole.IMPERATIVE,
    }
    | {
        SpeechRole.EITHER,
        SpeechRole.INFINITIVE,
        SpeechRole.LIGHT,
        SpeechRole.GIVE,
        SpeechRole.MAY,
        SpeechRole.SOFT_WISH,
        SpeechRole.WEAK,
        SpeechRole.UNSENT,
    }
)

_I_WISH: Final = (
    "(?:<i> <whom>{0,2} <gap>{0,3} <wish>|<i_wish> <gap>{0,2} <to>? <wish>?|(?<![^fpy]) <wish>)"
)
# The noun must not be the first part of a compound: "refund policy", "cancellation form".
_NOUN: Final = "<noun>(?![UTSE~])"

_PLAIN: Final = (
    # Matches "remboursez-moi", "vous me remboursez", "annulez".
    "<you>? <me>{0,2} <pro>{0,2} <imp>",
    # Matches "refund my order". If "refund" is a noun, no object follows it directly.
    "<base> (?=<gap>{0,3} <own_thing>)",
    "<you>? <polite> <gap>{0,3} <to>? <me>{0,2} <gap>{0,2} <pro>{0,2} (?:<inf>|<base>|<imp>)",
    "<I_WISH> <gap>{0,3} <to>{0,2} <gap>{0,2} <me>{0,2} <gap>{0,2} <pro>{0,2} <be>? "
    "(?:<inf>|<base>)",
    "<I_WISH> <gap>{0,3} <to>? <be>? <des>{0,5} <noun>",
    "<I_WISH> <gap>{0,3} <to>? <be>{1,2} <gap>{0,2} (?:<part>|<inf>)",
    "<I_WISH> <gap>{0,3} <to>? <be>? <object>{1,6} <gap>{0,3} <to>? <be>{0,2} <gap>{0,2} <part>",
    "<that> a? [ui]? <me>{0,2} <pro>{0,2} <subj>",
    "<that> <object>{1,6} <be> <gap>{0,2} <part>",
    "<light> <me>? <gap>{0,2} <to>? <des>{0,5} <noun>",
    "<polite> <gap>{0,3} <to>? <me>{0,2} <gap>{0,2} <light> <me>? <to>? <des>{0,5} <noun>",
    "<I_WISH> <to>? <light> <me>? <to>? <des>{0,5} <noun>",
    "(?:<polite> <gap>{0,3} <me>{0,2})? <give> <me>? <back>? <des>{0,4} <noun>",
    "<mind> <me>? <gap>{0,2} <gerund>",
    "<please> <gap>{0,3} <to>? <base>",
    # Matches "Rembourser moi": an imperative, misspelled as an infinitive.
    "<inf> m",
    "<des>{0,5} <noun> <gap>{0,3} (?=<please>)",
    "<please> <gap>{0,2} <des>{0,5} <noun>",
    "<des>{0,5} <noun> <gap>{0,3} <object>{0,6} <gap>{0,3} <please>",
    "<to>? <pro>? <inf> <gap>{0,3} <object>{0,6} <gap>{0,3} <please>",
)
_MONEY: Final = (
    "(?:<polite> <gap>{0,3} <to>? <me>{0,2})? <give> (?:[mBaoq] <back>? <des>{0,4} "
    "<money>|<des>{0,3} <money> <back>)",
    "<I_WISH> <gap>{0,3} <to>? (?:<be>|<give>)? <des>{0,4} <money> <back>?",
)
_CANCELS: Final = ("<i> <pro>{0,2} <imp>",)
_LIKELY: Final = (
    "<you>? <me>{0,2} <pro>{0,2} <imp>",
    "(?:<i> <gap>{0,3})? (?:<soft>|<may>) <i>? <gap>{0,3} <to>? (?:<be>{1,2} <part>|<be>? "
    "<me>{0,2} <gap>{0,3} <pro>{0,2} (?:<inf>|<base>|<gerund>))",
    "(?:<i> <gap>{0,3})? (?:<soft>|<may>) <i>? <gap>{0,3} <to>? (?:<be>|<light>)? <des>{0,6} "
    "<noun>",
    "(?:<soft>|<may>) <i>? <gap>{0,3} <be>? <object>{1,6} <to>? <be>{0,2} <part>",
    "<I_WISH> <part>",
    "<me>{1,2} <pro>? <inf>",
    "<i> <me> <light> <inf>",
    "<I_WISH> <des>{0,5} s",
    "<you> <me>{0,2} <pro>? <inf>",
    "<give> <me>{0,2} <back>? <des>{0,4} [$sc]",
    "<des>{0,6} <noun> <topic>{0,8} <wish>? (?![^fpadoOzrLPqet])",
    "<base> <topic>{0,8} (?!.)",
    "<I_WISH> <object>{0,6} <gerund>",
    "<noun> <topic>{0,4} <may>",
    "<I_WISH> <des>{0,4} [q$s] <back>",
    "<pro>? <inf> <object>{0,6} <gap>{0,3} (?![^fpadoOzrLPqet])",
    "<be> <des>{1,5} <noun>",
    "(?:<soft>|<i>) <me>{0,2} <gerund>",
    "<object>{1,6} <part> <gap>{0,3} <please>",
    "u <me>{0,2} <pro>{0,2} 5",
    "<I_WISH> <to>? <give> <object>{1,5} r <des>{0,4} <noun>",
    "<des>{0,3} <money> <gap>{0,2} <please>",
    "<be> <object>{1,6} <part>",
    "<light> <to>? <object>{1,6} <to>? <be> <part>",
    "<that> <object>{1,6} [b_]{1,2} <part>",
    "<object>{1,6} <soft> <be>? <part> <gap>{0,3} (?![^fp])",
    "<polite> <gap>{0,3} <part>",
    "<to> <inf> <object>{0,6} <gap>{0,3} (?!.)",
    "<unsent> <named>{0,4} <order>{1,3} <gap>{0,3} (?!.)",
    "(?:<polite>|<i> <wish>|<i_wish>|<may>)? <gap>{0,3} <to>? <pro>? <weak> <gap>{0,3} "
    "<object>{0,4}<order>",
)
_SEARCHED: Final = (
    "<polite> <gap>{0,3} <to>? <me>{0,2} <pro>{0,2} (?:<inf>|<base>|<imp>)",
    "<I_WISH> <gap>{0,3} <to>{0,2} <me>{0,2} <pro>{0,2} (?:<inf>|<base>)",
    "<I_WISH> <gap>{0,3} <to>? <be>{0,2} <des>{0,5} (?:<noun>|<part>)",
    "<I_WISH> <object>{1,6} <to>? <be>{0,2} <part>",
    "<imp> <me>",
    "1[aPqOzdo]",
    "(?<![uhN]) 1 <gap>{0,3} (?!.)",
    "<imp> <pro>{0,2} <gap>{0,2} <please>",
    "<please> <gap>{0,2} <des>{0,5} <noun>",
    "(?<![uhXt]) <base> (?:<me>|a|d|o|P|z|O)",
    "<give> <me>{0,2} <back>? <des>{1,4} [$sc]",
    "<noun> <object>{0,6} <please>",
)


def _commands(clause: Clause, found: re.Match[str]) -> bool:
    """Return True if an ambiguous English word is used as a verb: in "refund the order", but not in
    "refund for"."""
    last = clause.parts[found.end() - 1].meaning
    if last.role is not SpeechRole.BASE:
        return False
    return last.kind is ActionKind.CANCEL_ORDER or clause.roles[found.end() : found.end() + 1] in {
        *_CLASSES["commanded"]
    }


def form_of(clause: Clause) -> Form | None:
    """Return the form in which the clause requests an action, or None if it requests none."""
    kinds = clause.kinds
    plain = None
    if ActionKind.CANCEL_ORDER in kinds:
        plain = _plain_cancel().match(clause.roles)
    plain = plain or _plain().match(clause.roles)
    plain = plain or _plain_money().match(clause.roles)
    found = plain or _likely().match(clause.roles) or _searched().search(clause.roles)
    if found is None:
        return None
    asked = clause.parts[found.start() : found.end()]
    named = [part for part in asked if part.meaning.role in ACTION_FORMS]
    kind = next((part.meaning.kind for part in named if part.meaning.kind), ActionKind.REFUND)
    roles = set(found[0])
    return Form(
        kind=kind,
        start=found.start(),
        end=found.end(),
        plain=plain is not None,
        bare=not roles & _VERBAL and not _commands(clause, found),
        polite=bool(roles & _ASKS_BY_FORM),
        sure=all(part.meaning.sure for part in named),
    )


@cache
def _plain() -> re.Pattern[str]:
    return _compiled(_PLAIN)


@cache
def _plain_money() -> re.Pattern[str]:
    return _compiled(_MONEY)


@cache
def _plain_cancel() -> re.Pattern[str]:
    return _compiled(_CANCELS)


@cache
def _likely() -> re.Pattern[str]:
    return _compiled(_LIKELY, lead="<unsure>{0,14}")


@cache
def _searched() -> re.Pattern[str]:
    return _compiled(_SEARCHED, lead="")


def _compiled(forms: tuple[str, ...], lead: str = "<lead>{0,14}") -> re.Pattern[str]:
    either = "|".join(forms)
    return re.compile(_with_classes(f"{lead}(?:{either})"))


def _with_classes(form: str) -> str:
    form = form.replace("<noun>", _NOUN).replace("<I_WISH>", _I_WISH)

    def named(match: re.Match[str]) -> str:
        return "[" + re.escape(_CLASSES[match[1]]) + "]"

    return re.sub(r"<(\w+)>", named, form).replace(" ", "")
