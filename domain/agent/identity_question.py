"""Answer a customer who asks whether the agent is a robot or a person.

Code answers this question, so that no model can deny being an AI assistant (the EU AI Act, article
50). A message with any other content goes to the brain.
"""

import re
from typing import Final

from domain.agent import wording
from domain.agent.brain import SETTLED_BY, BrainAnswer, Category, Language
from domain.agent.brain_context import BrainContext
from domain.agent.plan import REPLIES
from domain.agent.policy import judge
from domain.agent.policy_context import PolicyContext
from domain.agent.resolved_reply import SURE, ResolvedReply
from domain.core.text import fold

_MAX_CHARS: Final = 120
_WORD: Final = re.compile(r"[a-z0-9]+")

_EN_WHO: Final = (
    r"(?:an? )?(?:(?:real|actual|live|true) )?(?:(?:chat ?|ro)?bot|machine|computer|ai|a i"
    r"|artificial intelligence|(?:ai|virtual|automated) (?:assistant|agent|system)|human(?: being)?"
    r"|person|someone real)"
)
# "Is this a robot?" may be about a product.
_EN_THIS: Final = (
    r"(?:an? )?(?:chat ?bot|bot|ai|a i|(?:real|actual|live) (?:person|human)|human(?: being)?)"
)
_EN_ADVERBS: Final = r"(?:(?:really|actually|just|only|even|maybe) ){0,2}"
_ENGLISH: Final = re.compile(
    r"(?:(?:hi|hello|hey|sorry|ok|so|wait|excuse me|just wondering|quick question|there) ){0,3}"
    r"(?:"
    rf"(?:are you|r u|you are) {_EN_ADVERBS}{_EN_WHO}(?: or {_EN_WHO})?"
    rf"|(?:am i|are we) {_EN_ADVERBS}(?:talking|speaking|chatting|writing) (?:here )?(?:to|with) "
    rf"{_EN_WHO}(?: or (?:(?:to|with) )?{_EN_WHO})?"
    rf"|is this {_EN_ADVERBS}{_EN_THIS}(?: or {_EN_WHO})?"
    r")(?: (?:here|please|thanks|thank you|answering|by any chance|talking|replying)){0,2}"
)
_FR_WHO: Final = (
    r"(?:une? |l )?(?:vraie? )?(?:(?:chat ?|ro)?bot|ia|i a|intelligence artificielle|machine"
    r"|ordinateur|assistante? (?:ia|virtuel(?:le)?|automatique)|humaine?|etre humain"
    r"|personne(?: reelle| humaine)?|quelqu un de reel)"
)
_FR_ADVERBS: Final = r"(?:(?:bien|vraiment|juste|seulement|peut etre|en fait) ){0,2}"
_FR_ANSWERS: Final = r"(?: qui (?:me |m )?(?:repond|ecrit|parle|repondez|ecrivez))?"
_FRENCH: Final = re.compile(
    r"(?:(?:bonjour|bonsoir|salut|coucou|hello|pardon|ok|mais|excusez moi|dites|dis moi"
    r"|dites moi|juste une question|une question) ){0,3}"
    r"(?:"
    rf"(?:es tu|etes vous|(?:est ce que )?(?:t es|tu es|vous etes)) {_FR_ADVERBS}"
    rf"{_FR_WHO}(?: ou {_FR_WHO})?"
    rf"|(?:est ce que je parle|je parle|parle je|(?:est ce que )?je (?:discute|echange)"
    rf"|(?:suis je|(?:est ce que )?je suis) en train de (?:parler|discuter|echanger)) "
    rf"{_FR_ADVERBS}(?:a |avec ){_FR_WHO}(?: ou (?:a |avec )?{_FR_WHO})?"
    rf"|(?:c est|est ce) {_FR_ADVERBS}(?:(?:une? |l )?(?:chat ?bot|bot|ia|intelligence "
    rf"artificielle|vraie personne|humain)|{_FR_WHO} qui (?:me |m )?(?:repond|ecrit|parle))"
    rf"(?: ou {_FR_WHO})?"
    rf"){_FR_ANSWERS}"
    r"(?: (?:ici|svp|stp|s il vous plait|s il te plait|merci|la)){0,2}"
)


def asks_who_answers(text: str) -> Language | None:
    """Return the language of a message that only asks whether a robot or a person answers. Return
    None for any other message."""
    if len(text) > _MAX_CHARS:
        return None
    said = " ".join(_WORD.findall(fold(text)))
    if _ENGLISH.fullmatch(said):
        return "en"
    return "fr" if _FRENCH.fullmatch(said) else None


def identity_answer(context: BrainContext, policy_context: PolicyContext) -> ResolvedReply | None:
    """Return the answer that states that an AI assistant writes the replies, or None if the message
    asks anything else."""
    language = asks_who_answers(context.event.text)
    if language is None or policy_context.unsafe:
        return None
    judgement = judge(policy_context, Category.OTHER, ())
    if not judgement.plan or judgement.plan[-1].kind not in REPLIES:
        return None
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=SURE,
        language=language,
        response=wording.assistant(language, context.brand_name),
        model=SETTLED_BY,
    )
    return ResolvedReply(answer, judgement)
