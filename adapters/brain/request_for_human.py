"""Detect a request for a human agent. Patterns match the message's folded words, joined by single
spaces."""

import re
from typing import Final

from adapters.brain.features import fold, words

_PERSON_FR: Final = (
    r"(?:conseillere?|humain|operateur|operatrice|agent|responsable|superieur|personne|quelqu un"
    r"|vrai\w* (?:personne|humain|gens|conseillere?)|service client|teleconseillere?|employee?)"
)
_PERSON_EN: Final = (
    r"(?:human|person|people|agent|advis[eo]r|representative|rep|operator|manager|supervisor"
    r"|someone|somebody|staff member|human being|customer service)"
)
_HUMAN_REQUEST: Final = re.compile(
    r"\b(?:"
    rf"(?:parler|discuter|echanger|joindre|contacter) (?:\w+ ){{0,4}}?{_PERSON_FR}"
    rf"|(?:passez|transferez|connectez|mettez) (?:moi|nous) (?:\w+ ){{0,4}}?{_PERSON_FR}"
    rf"|(?:mise?|mettre) en (?:relation|contact) avec (?:\w+ ){{0,3}}?{_PERSON_FR}"
    r"|(?:un|une) (?:vraie? )?(?:humain|conseillere?|operateur|vraie? personne|personne reelle)"
    r" (?:s il (?:vous|te) plait|svp|stp|merci)"
    r"|(?:un vrai humain|une vraie personne|un etre humain|une personne reelle)"
    r"|(?:parler|discuter) (?:pas )?(?:a|avec) un robot|pas (?:a |avec )?un robot"
    r"|(?:recontactee?|rappelee?) par (?:\w+ ){0,2}?(?:conseillere?|humain|personne)"
    r"|(?:speak|talk|chat|transfer|connect|escalate)(?: me| us| this)? (?:to|with) "
    rf"(?:\w+ ){{0,4}}?{_PERSON_EN}"
    r"|(?:put me through|get me|give me|i want|i need|i d like)(?: to)? an? "
    r"(?:(?:real|actual|live) )?(?:human|agent|representative)"
    r"|(?:put me through|get me|give me|i want|i need) an? (?:real |actual )?person(?: to|$)"
    r"|(?:real|actual|live) (?:person|human|agent|human being)"
    r"|(?:human|agent|representative|person) (?:please|pls|plz|now)"
    r"|(?:talk|speak|chat)(?:ing)? (?:to|with) an? (?:ro)?bot|not an? (?:ro)?bot"
    r")\b"
)
_WANTS_NONE: Final = re.compile(
    r"\b(?:pas besoin|inutile|no need|(?:do not|don t) (?:need|want|have)) "
    r"(?:(?:de|d|to|an?|un|une|me|que) )*"
    r"(?:parler|joindre|contacter|speak|talk|human|agent|conseillere?|humain)\b"
    # "I don't want to talk to a bot" is a request for a human agent.
    r"(?! (?:to|with|a|avec) (?:an?|un) (?:ro)?bot)"
)


def asks_for_human(text: str) -> bool:
    """Return whether the customer explicitly asks for a human agent."""
    said = _said(text)
    return bool(_HUMAN_REQUEST.search(said)) and not _WANTS_NONE.search(said)


def _said(text: str) -> str:
    return " ".join(words(fold(text)))
