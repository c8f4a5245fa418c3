"""What a customer plainly asks to be done: a human, a refund, the end of an order.

Expressions over folded words joined by single spaces. A wish is only ever proposed or handed on:
what is done about it is decided in `domain/agent/policy.py`.
"""

import re
from typing import Final

from adapters.brain.features import fold, words
from domain.agent.plan import ActionKind

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
    # "I don't want to talk to a bot" is such a request.
    r"(?! (?:to|with|a|avec) (?:an?|un) (?:ro)?bot)"
)

_REFUND: Final = re.compile(
    r"\b(?:rembours\w*|rembours|recredit\w*|refund\w*|reimburs\w*"
    r"|(?:rendez|rendre|rends) (?:moi |nous )?(?:mon|notre|l|les|la|mes) ?(?:argent|sous|somme)"
    r"|(?:recuperer|ravoir) (?:mon|l|mes|la) ?(?:argent|sous|somme)"
    r"|money back|(?:give|get) (?:me )?(?:my|the) (?:money|cash)|(?:my|the) (?:money|cash) back)\b"
)
# Of a refund that is on its way, was made, or is only asked about: none is to be made for that.
_REFUND_ASKED_ABOUT: Final = re.compile(
    r"\b(?:ou en est|ou est|quand|sous combien|combien de (?:temps|jours)|delais?|conditions?"
    r"|politique|toujours pas|(?:pas|jamais) (?:encore )?(?:recu|vu|eu)|deja|incomplet|refusee?"
    r"|partiel\w*|j attends|jattends|en attente|comment (?:ca|cela) (?:marche|fonctionne)"
    r"|est ce que (?:\w+ ){0,4}?rembours\w*|remboursez vous|vous remboursez|peut on|merci pour"
    r"|si (?:je|on|l|le|la|les)|bien recu|a (?:bien )?ete (?:effectue|fait)"
    r"|where|when|how long|how soon|how many|policy|conditions|still (?:waiting|pending|not|no)"
    r"|(?:have|has|had)(?: not|n t| still not)? (?:\w+ )?(?:received|arrived|come|been|shown|seen)"
    r"|haven t|hasn t|not been|waiting (?:for|on)|already|incomplete|turned down|why|was promised"
    r"|do you refund|does the refund|is the refund|if i|thanks for|thank you for|can i (?:get|be)"
    r"|do i get|how (?:do|does|is|are))\b"
)
_CANCEL: Final = re.compile(
    r"\b(?:(?:annul(?:er|ez|e|ation)|stopp(?:er|ez)|anul(?:er|ez|e)) "
    r"(?:\w+ ){0,4}?(?:commandes?|comandes?|cmd|cde|achat|tout)"
    r"|(?:cancel|stop|void|cancle)(?:ling|lation)? (?:\w+ ){0,4}?"
    r"(?:orders?|oder|purchase|everything|it|all)"
    r"|(?:orders?|purchase) (?:\w+ ){0,2}?(?:cancelled|canceled)"
    r"|commande (?:\w+ ){0,2}?(?:annulee|a annuler))\b"
)
_CANCEL_ASKED_ABOUT: Final = re.compile(
    r"\b(?:comment annuler|peut on annuler|(?:a|est|etait) (?:ete |deja )?annulee?"
    r"|(?:avez|ont|a) (?:\w+ )?annulee?|pourquoi|how (?:do|can|to)|why|was cancel|been cancel"
    r"|is cancel|you cancel|who cancel|(?:ne|n) (?:\w+ )?annul\w* pas|n annul\w*"
    r"|(?:do not|don t|never) cancel|pas annul\w*|already)\w*"
)


def asks_for_human(text: str) -> bool:
    """Whether the customer explicitly asks to deal with a person."""
    said = _said(text)
    return bool(_HUMAN_REQUEST.search(said)) and not _WANTS_NONE.search(said)


def asks_for_refund(text: str) -> bool:
    """Whether the customer wants money back now: no question about the rules, or about a refund
    that is under way."""
    said = _said(text)
    return bool(_REFUND.search(said)) and not _REFUND_ASKED_ABOUT.search(said)


def asks_to_cancel(text: str) -> bool:
    """Whether the customer wants an order cancelled, rather than to know how or why."""
    said = _said(text)
    return bool(_CANCEL.search(said)) and not _CANCEL_ASKED_ABOUT.search(said)


def wished_action(text: str) -> ActionKind | None:
    """What the customer wants done about an order; None for nothing plain. Who wants it cancelled
    and the money back wants the first, which does both."""
    if asks_to_cancel(text):
        return ActionKind.CANCEL_ORDER
    return ActionKind.REFUND if asks_for_refund(text) else None


def _said(text: str) -> str:
    return " ".join(words(fold(text)))
