"""Word data files: an error names the file and the position."""

import re
from pathlib import Path

import pytest

from adapters.brain import concepts
from domain.agent.grounding import claim_phrasings, fact_words
from domain.agent.intents import meanings, wanted
from domain.agent.safety import phrasings as unsafe_phrasings
from domain.agent.safety.reason import UnsafeReason
from domain.core.lexicon import BrokenLexicon, LexiconFile, expression, lexicon

ROOT = Path(__file__).resolve().parents[3]


class Fruit(LexiconFile):
    fruit: dict[str, tuple[str, ...]]


def written(folder: Path, text: str) -> str:
    """Write a module with this data file beside it."""
    (folder / "fruit.yaml").write_text(text)
    return str(folder / "fruit.py")


def test_file_beside_a_module(tmp_path: Path) -> None:
    module = written(tmp_path, "fruit:\n  red: [cherry, pomme]\n")

    assert lexicon(module, Fruit).fruit == {"red": ("cherry", "pomme")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fruit: {red: [cherry, no]}", "fruit.yaml: fruit.red.1: Input should be a valid string"),
        ("fruit: {red: cherry}", "fruit.yaml: fruit.red: Input should be a valid tuple"),
        ("fruit: {}\nnuts: {}", "fruit.yaml: nuts: Extra inputs are not permitted"),
        ("nuts", "fruit.yaml: : Input should be a valid dictionary"),
        ("fruit: {red: [cherry]\n", "fruit.yaml: not valid YAML: line 2"),
        (
            "fruit: {red: [cherry], red: [pomme]}",
            "fruit.yaml: not valid YAML: line 1, column 24: a",
        ),
    ],
)
def test_mistakes_are_told_by_their_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BrokenLexicon, match=re.escape(told)):
        lexicon(written(tmp_path, text), Fruit)


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BrokenLexicon, match=re.escape("fruit.yaml: ")):
        lexicon(str(tmp_path / "fruit.py"), Fruit)


def test_word_of_two_meanings() -> None:
    with pytest.raises(BrokenLexicon, match="'mar' means both 3 and 4"):
        fact_words._by_word([(3, ("mars", "mar")), (4, ("mar",))])


@pytest.mark.parametrize(
    ("text", "told"), [("{{nobody}} asks", "no fragment 'nobody'"), ("(asks", "no expression")]
)
def test_phrasing_that_is_no_expression(text: str, told: str) -> None:
    with pytest.raises(BrokenLexicon, match=told):
        expression(text, {})


def test_lines_and_fragments_make_one_expression() -> None:
    found = expression("give\n|{{who}} ", {"who": "(?:me\n|{{we}})", "we": "us"})

    assert found.pattern == "give|(?:me|us) "


def test_fragment_of_itself_is_no_expression() -> None:
    with pytest.raises(BrokenLexicon, match="no end of fragments"):
        expression("{{who}}", {"who": "(?:{{who}}|me)"})


def test_every_file_is_in_use() -> None:
    found = [path for room in ("adapters", "domain") for path in (ROOT / room).rglob("*.yaml")]

    assert len(found) >= 7
    for path in found:
        texts = {file.stem: file.read_text("utf-8") for file in path.parent.glob("*.py")}
        own = "lexicon(__file__" in texts.get(path.stem, "")
        named = any(
            f'"{name}"' in text for text in texts.values() for name in (path.stem, path.name)
        )
        assert own or named, path


@pytest.mark.parametrize("module", [claim_phrasings.__file__, unsafe_phrasings.__file__])
def test_lines_of_phrasings_keep_their_spaces(module: str) -> None:
    """No line ends with a space that an expression needs, because editors may remove it."""
    text = Path(module).with_suffix(".yaml").read_text()

    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_every_reason_by_words_has_a_phrasing() -> None:
    found = unsafe_phrasings.phrasings()

    by_words = {reason for reason, _ in (*found.markup, *found.words)}
    assert by_words == {*UnsafeReason} - {UnsafeReason.OBFUSCATED}


def test_concept_words_are_folded() -> None:
    known = concepts._lexicon()

    for word in (*known.whole, *known.beginnings):
        assert re.fullmatch(r"[a-z0-9]+", word), word


def test_words_of_meanings_are_as_a_message_has_them() -> None:
    """Folded, and spelled as `tokens` returns them: otherwise no message matches."""
    file = meanings.meanings_file()

    listed = " ".join((file.harmless, file.goods, file.articles, *file.meanings.values()))
    for entry in listed.split():
        assert re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*\*?", entry), entry


def test_a_meaning_that_nobody_listed_is_told() -> None:
    with pytest.raises(BrokenLexicon, match="no such meaning: nonsense"):
        wanted._meanings("where nonsense", frozenset({"where"}))
