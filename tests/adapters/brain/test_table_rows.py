"""Rows of a Markdown table in an answer read as words."""

from adapters.brain.answers import EntrySentences
from adapters.brain.knowledge import spoken
from domain.agent.brain import Passage, PassageSentence

HEADER = "| Sofa | Width | Weight |"


def answer(*sentences: tuple[str, str]) -> str:
    found = tuple(PassageSentence(heading=above, text=text, chunk=0) for above, text in sentences)
    entry = Passage(id="K1", title="Sofas", body="", language="en", rank=1.0, sentences=found)
    return spoken(EntrySentences(entry, found))


def test_each_cell_follows_the_heading_of_its_column() -> None:
    rows = (HEADER, "| Ribble | 204 cm | 56 kg |"), (HEADER, "| Tarn | | 41 kg |")
    assert answer(*rows) == "Ribble: Width 204 cm, Weight 56 kg\n\n- Tarn: Weight 41 kg"


def test_a_heading_with_other_columns_names_none() -> None:
    assert answer((HEADER, "| Ribble | 204 cm |")) == "Ribble: 204 cm"


def test_the_line_below_the_header_is_left_out() -> None:
    rows = (HEADER, "| Ribble | 204 cm | 56 kg |"), (HEADER, "|---|---|---|")
    assert answer(*rows) == "Ribble: Width 204 cm, Weight 56 kg"


def test_a_sentence_below_a_table_stands_without_its_header() -> None:
    assert answer((HEADER, "two years of warranty")) == "two years of warranty"
