"""How much of a message a text covers, word by word: what tells an answer from a near miss.

Lexical on purpose: a word that the text lacks is a thing that the text does not speak of.
"""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from adapters.brain.features import fold, words

EXCERPT_LIMIT: Final = 900

_TITLE_WEIGHT: Final = 1.0
_BODY_WEIGHT: Final = 0.85
_QUESTION_SHARE: Final = 0.75
_BODY_READ: Final = 20_000
_SENTENCE_END: Final = re.compile(r"[.!?…]+(?=\s|$)|\n+")
# Of words in the singular, the longest first.
_SUFFIXES: Final = (
    *("ement", "ation", "aison", "able", "ment", "euse", "ing", "ion", "age", "eur", "eux"),
    *("ait", "ent", "ant", "ive", "ez", "er", "ir", "ed", "ee", "if", "ly", "re", "e"),
)


def _lexicon(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


STOP_WORDS: Final = _lexicon(
    # French
    "ai aie ait alors apres as au aucun aura aurai aussi autre autres aux avais avait avant",
    "avec avez avoir avons ayant ca car ce ceci cela celle celui ces cet cette ceux chez ci",
    "comme comment dans de deja depuis des doit dois dont du elle elles en encore entre es est",
    "et etait etais ete etes etre eu faire fais fait faites faut il ils je jusqu la le les",
    "leur leurs lors lorsque lui ma mais me meme mes mieux moi moins mon ne ni non nos notre",
    "nous on ont ou par parce pas peu peut peux plus plutot pour pourquoi pourrais pourriez",
    "pouvez pouvoir puis puisje quand que quel quelle quelles quels qui quoi sa sans sauf se",
    "sera serait seront ses si soit son sont souhaite souhaiterais sous suis sur ta te tes toi",
    "ton toujours tout toute toutes tous tres trop tu un une va vais vas veut veux voir vont",
    "vos votre voudrais voulais vouloir vous vraiment aimerais savoir combien choisir",
    "prendre acheter achete prends quelqu",
    # English
    "a about after again all also am an and any are aren at be because been before being both",
    "but by can cannot could couldn did didn do does doesn doing don down during each few for",
    "from get give go going got had has have having he her here him his how i if in into is",
    "isn it its itself just know let like ll me more most my need no not now of off on once",
    "one only or other our out over own re same she should so some such tell than that the",
    "their them then there these they this those through to too under until up us ve very was",
    "wasn we were what when where which while who whom why will with won would wouldn",
    "wondering you your yours want much many choose pick buy take long",
    # Courtesy, and what every such message says
    "bonjour bonsoir salut coucou merci cordialement madame monsieur svp stp plait avance",
    "bonne journee soiree question questions besoin dire renseignement information infos info",
    "hello hi hey dear thanks thank please pls kind regards best cheers morning afternoon",
    "evening help sir madam team equipe possible exactly exactement",
)

# Words that say that something is wrong without saying what, and what it may be wrong with.
_TROUBLE: Final = _lexicon(
    "probleme problemes souci soucis ennui erreur problem problems issue issues trouble wrong error"
)
ANYTHING: Final = _lexicon(
    "commande commandes colis achat article produit order orders ordered purchase parcel item",
    "product something quelque chose urgent regarder look numero number",
)
# Words that take up what was said before.
_ASSENT: Final = _lexicon(
    "oui ouais yes yeah yep yup non nope okay accord exactement exactly bien sure",
    "both two three deux trois first second third premier premiere deuxieme seconde troisieme",
)

# Frequent words of neighbouring languages that are neither French nor English words.
_FOREIGN_WORDS: Final = _lexicon(
    "ich und nicht der das ist wo wann mein meine bestellung bitte danke habe wie noch ein",
    "eine mi pedido donde esta gracias quiero cuando llegado tengo una hace como puedo mucho",
    "mio ordine dove grazie vorrei che della sono quanto ancora arrivato",
    "mijn waar ik het een niet wanneer bedankt graag heb",
    "meu minha onde obrigado obrigada nao quero encomenda chegou",
)

# Words of one meaning that customers and shops use for one another, by their stem.
_SYNONYMS: Final = {
    **dict.fromkeys(("delivery", "deliver", "shipment", "postage"), "ship"),
    **dict.fromkeys(("expedition", "expedier", "envoi", "envoyer", "port"), "livraison"),
    **dict.fromkeys(("cost", "costs", "fee", "fees", "charges"), "price"),
    **dict.fromkeys(("tarif", "tarifs", "frais", "cout", "couts", "coute", "coutent"), "prix"),
    **dict.fromkeys(("guarantee", "guaranteed"), "warranty"),
    **dict.fromkeys(("delai", "delais", "duree", "longtemps"), "temps"),
    **dict.fromkeys(("nettoyer", "nettoyage", "laver", "entretenir"), "entretien"),
    **dict.fromkeys(("cleaning", "wash", "washing", "washed"), "clean"),
    **dict.fromkeys(("waterproof", "watertight"), "water"),
    **dict.fromkeys(("heure", "heures", "horaires"), "horaire"),
    **dict.fromkeys(("ouvre", "ouvrez", "ouverts", "ouverture", "ouvrir"), "ouvert"),
    **dict.fromkeys(("opening", "opens"), "open"),
    **dict.fromkeys(("magasin", "magasins"), "boutique"),
    **dict.fromkeys(("shop", "shops"), "store"),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A message as relevance sees it: the stems of all its content words, and of what it asks.

    `is_vague`: a lone word, none of its own ("and the two others?"), or no more than that something
    is wrong ("a problem with my order").
    """

    stems: frozenset[str]
    asked: frozenset[str]
    is_vague: bool


def is_foreign(text: str) -> bool:
    """Whether the text is evidently in a language other than French and English."""
    found = words(fold(text))
    foreign = sum(word in _FOREIGN_WORDS for word in found)
    return foreign >= 2 and foreign > sum(word in STOP_WORDS for word in found)


def read_question(text: str) -> Question:
    asked = [sentence for sentence in _sentences(text) if sentence.rstrip().endswith("?")]
    return Question(
        stems=stems(text),
        asked=stems(" ".join(asked)),
        is_vague=_is_vague(text),
    )


def own_words(text: str) -> frozenset[str]:
    """The words by which a message says something for itself: "yes, and the other one" has none."""
    return frozenset(_content_words(text)) - _ASSENT


def stems(text: str) -> frozenset[str]:
    """The stems of the content words: no stop words, no bare numbers, nothing under 3 letters."""
    return frozenset(_stem(word) for word in _content_words(text))


def _content_words(text: str) -> list[str]:
    return [
        word
        for word in words(fold(text))
        if len(word) >= 3 and word[0].isalpha() and word not in STOP_WORDS
    ]


def _is_vague(text: str) -> bool:
    said = set(_content_words(text))
    if len(words(fold(text))) < 2 or said <= _ASSENT:
        return True
    return bool(said & _TROUBLE and said <= _TROUBLE | ANYTHING)


def coverage(question: Question, title: str, body: str) -> float:
    """The share of the message that the text speaks of, 0 to 1; a word in the title counts most.

    What is asked counts for more than what is told around it, but a single word asked says too
    little by itself ("which bulb?" of which lamp). 0 where a single word is all that agrees,
    unless the message has no other and it is in the title.
    """
    in_title, in_body = stems(title), stems(body)
    whole = _share(question.stems, in_title, in_body)
    matched = _matched(question.stems, in_title | in_body)
    if not matched or (len(matched) == 1 and not _only_word(question, in_title)):
        return 0.0
    if len(question.asked) < 2:
        return whole
    asked = _share(question.asked, in_title, in_body)
    return _QUESTION_SHARE * asked + (1 - _QUESTION_SHARE) * whole


def excerpt(question: Question, body: str) -> str:
    """The whole sentences of the body, at most `EXCERPT_LIMIT` long, that cover the most.

    A single longer sentence is cut between words, with an ellipsis.
    """
    body = body[:_BODY_READ].strip()
    if len(body) <= EXCERPT_LIMIT:
        return body
    sentences = _sentences(body)
    matched = [_matched(question.stems, stems(sentence)) for sentence in sentences]
    best, most = "", -1
    for start in range(len(sentences)):
        end, length = start, 0
        while end < len(sentences) and length + len(sentences[end].rstrip()) <= EXCERPT_LIMIT:
            length += len(sentences[end])
            end += 1
        found = len(frozenset().union(*matched[start : max(end, start + 1)]))
        if found > most:
            most = found
            best = "".join(sentences[start:end]) or _cut(sentences[start])
    return best.strip()


def _sentences(text: str) -> list[str]:
    """The text cut after each sentence end and line; joined again, they are the text."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    parts = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    return [part for part in parts if part]


def _cut(sentence: str) -> str:
    return sentence.strip()[: EXCERPT_LIMIT - 1].rsplit(maxsplit=1)[0] + "…"


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    word = _SYNONYMS.get(word, word)
    if len(word) > 3 and word[-1] in "sx" and word[-2] != "s":
        word = word[:-1]
        word = _SYNONYMS.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
            break
    # shipped, shipping: the doubled letter belongs to the ending.
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return one == other or (
        len(shorter) >= 5 and len(longer) - len(shorter) <= 4 and longer.startswith(shorter)
    )


def _matched(wanted: Set[str], present: Iterable[str]) -> frozenset[str]:
    present = frozenset(present)
    return frozenset(
        word for word in wanted if word in present or any(_alike(word, other) for other in present)
    )


def _share(wanted: Set[str], in_title: Set[str], in_body: Set[str]) -> float:
    if not wanted:
        return 0.0
    titled = _matched(wanted, in_title)
    told = _matched(wanted, in_body) - titled
    return (_TITLE_WEIGHT * len(titled) + _BODY_WEIGHT * len(told)) / len(wanted)


def _only_word(question: Question, in_title: Set[str]) -> bool:
    return len(question.stems) == 1 and bool(_matched(question.stems, in_title))
