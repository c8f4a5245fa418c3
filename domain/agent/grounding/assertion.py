"""Detect whether a sentence states a fact, or only greets, thanks, asks or acknowledges.

A sentence counts as a statement of fact unless each clause is a known courtesy, in French, English,
German or Spanish. Answers with unknown wording are therefore held for a human.
"""

import re
from collections.abc import Iterator
from typing import Final

from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.text import fold

SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"'»”)\]]{0,3}\s+|\n+")
"""The end of a sentence or of a line, with the white space after it."""

_CLAUSE_END: Final = re.compile(r"[,;:()]|\s-\s|\b(?:and|but|so|et|mais|donc)\b")
_QUESTION: Final = re.compile(r"\?[\"'»”)\]\s]*$")
# Phrases that state a fact in the form of a question.
_TELLING: Final = re.compile(
    r"\b(?:did|do) you know\b|\bsav(?:ez|iez)[ -]vous\b|\baware that\b|\bknow that\b"
)

# Verbs about orders, goods and money, and other words that express a fact.
_STATING: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|has|had|will|ll|shall|can|may|must|should|costs?|takes?|lasts?"
    r"|ships?|shipped|arriv\w+|deliver(?:s|ed)|refund(?:s|ed)|cancel\w*ed|issued|sent|processed"
    r"|approved|granted|accepted|includes?|offers?|means|works|fits|covers?|applies|charged?|paid"
    r"|guaranteed?|free|entitled|eligible|available|closed?|open|return|within"
    r"|est|sont|etait|etaient|sera|seront|serez|ete|aura|auront|aurez|ont|peut|peuvent|pouvez|devez"
    r"|doit|faut|coute\w*|prend\w*|dur\w+|arriv\w+|livr(?:e|es|ee|ees|ons|erons|era)|expedi\w+"
    r"|rembours(?:e|es|ee|ees|ons|erons|era|er)|annul(?:e|es|ee|ees|ons|erons|era|er)|accept\w+"
    r"|accord\w+|effectue\w*|traite\w*|valide\w*|compren[dt]|inclu\w+|offr\w+|offert\w*|garanti\w*"
    r"|gratuit\w*|disponible\w*|retourn\w+|sous|beneficie\w*|droit"
    r"|ist|sind|war|wird|werden|wurden?|hat|haben|kann|konnen|muss|kostet|dauert|erstatt\w*|storn\w*"
    r"|geliefert|versandt|verschickt|genehmigt|kostenlos|gratis|garantiert\w*|verfugbar"
    r"|es|son|esta|estan|sera|ha|han|puede\w*|debe\w*|cuesta\w*|tarda\w*|reembols\w*|cancelad\w*"
    r"|enviad\w*|entregad\w*|aprobad\w*|garantiz\w*|incluy\w*|disponibles?)\b"
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"(?:" + "|".join(patterns) + r")\b")


_US: Final = r"(?:(?:we|i|us)|(?:(?:a|one of (?:our|my)) colleagues?|our team|the team|someone))"
_NOUS: Final = (
    r"(?:nous|je|on|j|une? (?:collegue|conseillere?|membre de (?:notre|l) ?equipe)"
    r"|(?:notre|l) ?equipe|quelqu un)"
)
# Openings of courtesies, in lower case without accents and with single spaces. A clause with such
# an opening is a courtesy only if the rest of the clause states no fact.
_COURTESY: Final = _any(
    r"(?:hello|hi|hey|dear|greetings|good (?:morning|afternoon|evening|day))",
    r"(?:many |kind )?thanks|thank you|(?:we|i) (?:really )?appreciate",
    r"(?:(?:we|i) (?:are|am|m|re) )?(?:very |so |truly |really )?sorry|(?:we|i) apologi[sz]e"
    r"|(?:please accept )?(?:our|my)?(?: sincere)? ?apologies",
    r"(?:we|i) (?:fully |completely )?understand",
    r"(?:we|i) (?:have |ve )?(?:well |duly )?(?:received|noted|read|got|taken note of) "
    r"(?:your|the|this) (?:message|request|e ?mail|question|enquiry|inquiry|complaint|feedback)",
    rf"{_US} (?:will|ll|is going to|are going to) (?:gladly |personally |now )?"
    r"(?:look|check|get back|come back|reply|answer|respond|contact you|be in touch|review"
    r"|investigate|take a look|read|follow up)",
    r"(?:we|i) (?:do not|don t) (?:yet |currently )?(?:know|(?:yet )?have (?:an?|any|the|enough)"
    r" (?:certain |sure |exact )?(?:answer|information|reply))",
    r"(?:we|i) have no (?:certain |sure |exact )?(?:answer|information|reply)",
    r"(?:we|i) (?:cannot|can t|could not|couldn t|(?:are|am) (?:unable|not able) to) "
    r"(?:yet )?(?:find|tell|confirm|answer|say)",
    r"(?:please|kindly|simply) (?:let (?:us|me) know|tell (?:us|me)|send (?:us|me)|share"
    r"|give (?:us|me)|provide|confirm|reply|write to us|describe|specify|bear with|excuse|forgive)",
    r"let (?:us|me) know|feel free|(?:do not|don t) hesitate|tell (?:us|me)|send (?:us|me)",
    r"(?:we|i) (?:would|d) (?:be (?:happy|glad|pleased)|like) to (?:help|assist|look)",
    r"(?:we|i)(?: re| are| am| m)? here to help|happy to help",
    r"if (?:you|this|that|there|anything)|so that (?:we|i)|in order to|to help (?:you|us)",
    r"(?:best|kind|warm|kindest|warmest)? ?(?:regards|wishes)|(?:yours )?sincerely|cheers"
    r"|have a (?:nice|good|great|lovely|wonderful)|take care|speak soon",
    r"bonjour|bonsoir|salut|coucou|chere?s?|madame|monsieur",
    r"(?:un grand |encore )?merci|(?:nous |je |on )?vous remerci\w+",
    r"(?:(?:nous sommes|je suis) )?(?:vraiment |sincerement |tres )?(?:desolee?s?|navree?s?)"
    r"|(?:toutes )?(?:nos|mes) (?:plus sinceres )?excuses|veuillez (?:nous |m )?excuser"
    r"|(?:nous|je) vous (?:presentons|presente|prions|prie)",
    r"(?:nous|je|on) (?:vous )?compren(?:ons|ds|d)",
    r"(?:nous|on|j|je) (?:avons|ai|a) bien (?:recu|note|lu|pris note de) "
    r"(?:votre|ce|cette) (?:message|demande|courriel|e ?mail|mail|question|reclamation|retour)",
    rf"{_NOUS} (?:allons |vais |va )?(?:vous )?(?:reven\w*|revien\w*|repond\w*|regard\w*|verifi\w*"
    r"|contact\w*|recontact\w*|examin\w*|etudi\w*|tiendr\w*)",
    r"(?:nous|je|on|j) n (?:avons|ai|a) (?:pas|aucune?)(?: encore| malheureusement)? ?(?:de |d )?"
    r"(?:reponse|information|precision)",
    r"(?:nous|je|on) ne (?:sais|savons|trouvons|trouve) pas|(?:nous|je|on) ne (?:peux|pouvons) pas "
    r"(?:encore |vous )?(?:repondre|confirmer|dire)",
    r"(?:merci de|veuillez|pourriez vous|il vous suffit de) (?:bien vouloir )?(?:nous |me |m )?"
    r"(?:l )?(?:dire|indiquer|preciser|communiquer|envoyer|donner|confirmer|fournir|transmettre"
    r"|repondre|ecrire|decrire|patienter)",
    r"n hesitez pas|(?:dites|indiquez|precisez|envoyez|donnez|communiquez|ecrivez|confirmez)"
    r"(?: nous| moi)?|faites le nous savoir",
    r"si (?:vous|cela|besoin)|afin (?:de|que)|pour (?:que nous|vous aider|mieux)",
    r"(?:get|come) back to you|be in touch|let you know|look into (?:it|this|that)"
    r"|reply to (?:you|this e ?mail)",
    r"(?:what|that s|that is) an? (?:\w+ ){1,2}(?:idea|plan|gift|present|question|choice)"
    r"|(?:we|i) (?:are|am|re|m) (?:very |so )?(?:glad|happy|pleased)"
    r" (?:you|that you|to (?:hear|read))",
    r"(?:c est |quelle )(?:une )?(?:\w+ ){0,3}(?:idee|question|projet)(?: \w+){0,3}"
    r"|(?:nous sommes|je suis) (?:ravie?s?|heureu\w+)",
    r"hallo|guten (?:tag|morgen|abend)|liebe[rs]?|sehr geehrte[rs]?|(?:vielen |besten )?dank(?:e)?"
    r"|(?:mit )?(?:freundlichen?|herzlichen?|viele[n]?|besten?|liebe[n]?) gru(?:ss|sse|ssen)"
    r"|(?:es )?tut (?:mir|uns)(?: sehr)? leid|bitte entschuldigen sie",
    r"hola|buen[oa]s (?:dias|tardes|noches)|estimad[oa]s?|(?:muchas )?gracias"
    r"|(?:un |muchos )?(?:cordial(?:es)? )?saludos?(?: cordial(?:es)?)?|atentamente"
    r"|(?:lo )?(?:sentimos|siento|lamentamos|lamento)(?: mucho)?|disculpe\w*",
    r"(?:bien )?cordialement|bien a vous|(?:bonne|belle|excellente) (?:journee|soiree|continuation)"
    r"|a (?:bientot|tres vite)|(?:sinceres|meilleures) salutations",
)
# First words of a clause that continues a courtesy from earlier in the sentence, such as "your
# name" after "please send us".
_FRAGMENT: Final = _any(
    r"your|you|the|an?|any|our|my|its|this|these|for|to|of|with|in|by|about|as|yet",
    r"votre|vos|vous|le|la|les|l|une?|des?|du|d|pour|a|au|avec|en|ainsi|nos|notre|ce|cette|pas",
)
# Maximum number of words of a wish or an exclamation.
_WISH_WORDS: Final = 5
_SIGNATURE: Final = frozenset(
    (
        *("the", "team", "from", "at", "your", "support", "service", "customer", "care"),
        *("l", "equipe", "de", "du", "chez", "votre", "client", "clients", "la", "le"),
        *("ihr", "von", "vom", "kundenservice", "el", "equipo", "su", "atencion", "al", "cliente"),
    )
)


def sentences(text: str) -> Iterator[str]:
    """Return an iterator over the sentences and lines of a text. Reads the first `READ_CHARS`
    characters."""
    spend(min(len(text), READ_CHARS))
    return (part for raw in SENTENCE_END.split(text[:READ_CHARS]) if (part := raw.strip()))


def is_question(sentence: str) -> bool:
    """Return True if a sentence only asks a question. Return False for "Did you know that …?",
    which also states a fact."""
    return bool(_QUESTION.search(sentence)) and not _TELLING.search(fold(sentence))


def asserts(sentence: str, brand: str) -> bool:
    """Return True if a sentence states or may state a fact. `brand` is the sender's name."""
    if is_question(sentence):
        return False
    signing = _SIGNATURE | set(_words(brand).split())
    if _is_short_wish(sentence):
        return False
    courteous = False
    for raw in _CLAUSE_END.split(fold(sentence)):
        clause = _words(raw)
        if not clause or set(clause.split()) <= signing:
            continue
        opening = _COURTESY.match(clause)
        if opening is None and not (courteous and _may_follow(clause)):
            return True
        if _STATING.search(clause, opening.end() if opening else 0):
            return True
        courteous = True
    return False


def _is_short_wish(sentence: str) -> bool:
    """Return True for a few words with a comma or an exclamation mark, such as "Happy sowing,"."""
    plain = fold(sentence).rstrip("\"'»”) ")
    words = _words(plain)
    is_short = plain.endswith((",", "!")) and 0 < len(words.split()) <= _WISH_WORDS
    return is_short and not any(mark.isdecimal() for mark in words) and not _STATING.search(words)


def _may_follow(clause: str) -> bool:
    """Return True if a clause may continue a courtesy. Such a clause is a single word, such as a
    name after a greeting, or starts like an object of the courtesy."""
    return " " not in clause or bool(_FRAGMENT.match(clause))


def _words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", fold(text).replace("ß", "ss")))
