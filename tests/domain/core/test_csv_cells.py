"""CSV cells: they round-trip, and no spreadsheet treats one as a formula."""

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from domain.core.csv_cells import GUARDED, csv_file
from tests.support.core.each import each
from tests.support.exports.spreadsheet import AWKWARD, strict_rows, unguard

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
# Texts that need protection, more often than at random.
AWKWARD_TEXTS = st.lists(st.sampled_from([*"=+-@#';\t\n\r \"", "##", "a"]), max_size=12).map(
    "".join
)


@given(st.lists(st.tuples(TEXTS | AWKWARD_TEXTS, st.integers() | st.none()), max_size=5))
def test_a_file_parses_back(rows: list[tuple[str, int | None]]) -> None:
    file = csv_file(("text", "number"), rows)

    assert file.startswith(b"\xef\xbb\xbf")
    header, *found = strict_rows(file[3:].decode())
    assert header == ("text", "number")
    assert [(unguard(text or ""), number) for text, number in found] == [
        (text, None if number is None else str(number)) for text, number in rows
    ]
    assert all((text or "x")[0] not in GUARDED - {"'"} for text, _ in found)


@each(
    [
        ("=1+1", '"\'=1+1"'),
        ("a;=1+1", '"a;\'=1+1"'),
        ('say "hi"', '"say ""hi"""'),
        ("", '""'),
        (None, ""),
        (-1.5, "-1.5"),
        (date(2026, 1, 2), '"2026-01-02"'),
        (datetime(2026, 1, 2, tzinfo=UTC), '"2026-01-02T00:00:00Z"'),
        *((text, None) for text in AWKWARD),
    ]
)
def test_a_cell(value: str | float | date | None, written: str | None) -> None:
    line = csv_file(("x",), [(value,)]).decode().split("\r\n", 1)[1]

    assert written is None or line == f"{written}\r\n"
    if isinstance(value, str):
        assert unguard(strict_rows(line)[0][0] or "") == value
