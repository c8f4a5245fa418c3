"""The grammar of the safety net: its words, phrases and distances, and its cost."""

from collections.abc import Iterator, Sequence

import pytest

from domain.agent.phrase_tree import PhraseTree
from domain.agent.safety import sensitive_frames
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.safety.sensitive_frames import Frames, frames
from domain.agent.safety.sensitive_words import SENTENCE_BREAK, bare, squeezed
from domain.core.lexicon import BrokenLexicon


def words(text: str) -> str:
    return " ".join(frames().vocabulary.words(text))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("J’ai", "je ai"),
        ("don't", "do not"),
        ("dont", "do not"),
        ("Hôpital, ALLERGIE", "hopital alergie"),
        ("l'hopitalll", "hopital"),
        ("Oui. Non !\nSi", "oui . non . si"),
        ("85€", "85 money"),
        ("avocta", "avocat"),
        ("plante", "plante"),
    ],
)
def test_how_words_are_read(text: str, read: str) -> None:
    assert words(text) == read


def test_squeezing_and_baring_are_done_once() -> None:
    assert squeezed(squeezed("hhhaaappp")) == squeezed("hhhaaappp") == "hap"
    assert bare(bare("J'ÉTAIS là")) == bare("J'ÉTAIS là")


def test_a_sentence_break_is_a_distance() -> None:
    found = frames()
    said = found.said(found.vocabulary.words("police. police"))
    (first, _), (second, _) = said["police"]
    assert second - first == SENTENCE_BREAK + 1


def _concepts(tree: PhraseTree) -> Iterator[str]:
    yield from tree.concepts
    for branch in tree._branches.values():
        yield from _concepts(branch)


def test_every_phrase_may_be_said_and_every_concept_is_used() -> None:
    found = frames()
    said = set(_concepts(found.phrases))
    used = {
        name
        for frame in found.frames
        for names in (*frame.parts, frame.not_near, frame.nowhere)
        for name in names
    }
    assert used <= said
    assert said <= used


@pytest.mark.parametrize(
    "text",
    ["a & b > c", "no_such_concept", "police & ", "police ~x", "police & police_act !none"],
)
def test_a_frame_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(BrokenLexicon):
        sensitive_frames._frame(SensitiveMatter.LEGAL, text, {"police": "", "police_act": ""})


class CountedPlaces(list[tuple[int, int]]):
    """Positions that count how often they are read."""

    reads = 0

    def __iter__(self):  # type: ignore[no-untyped-def]
        for place in super().__iter__():
            CountedPlaces.reads += 1
            yield place


def _effort(found: Frames, read: Sequence[str]) -> int:
    """Return how many positions all frames examine for a text with these words."""
    said = {name: CountedPlaces(places) for name, places in found.said(read).items()}
    CountedPlaces.reads = 0
    for frame in found.frames:
        sensitive_frames._chains(frame, said)
    return CountedPlaces.reads


@pytest.mark.parametrize(
    "text",
    [
        "je ma carte police avocat mon fils 12 ans commande ",
        "my child swallowed my card bank refund you kill not live ",
        "vous me le la . ! ",
    ],
)
def test_the_effort_grows_with_the_length_alone(text: str) -> None:
    found = frames()
    short = _effort(found, found.vocabulary.words(text * 10))
    long = _effort(found, found.vocabulary.words(text * 100))
    assert long <= 11 * max(short, 1)
