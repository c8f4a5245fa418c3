"""An export's CSV: values round-trip in every reader, and none is a formula."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.exports.export import Section
from store.core.database import Database
from store.exports.csv_form import CsvRendering
from store.exports.section_source import CellKind
from store.exports.sections import SOURCES
from tests.support.core.postgres import PostgresServer, as_owner
from tests.support.exports.spreadsheet import (
    AWKWARD,
    BREAKS,
    Part,
    owner_connection,
    parts,
    plant,
    records,
    section_lines,
    unguard,
    written,
)
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.shop import Shop

# Prefixes that a spreadsheet would interpret: a formula, a section line, or trimmed characters.
FORBIDDEN = tuple("=+-@#＝＋－＠＃\t\r\n \u00a0\u3000\ufeff\u200b\u200e")

CHARACTERS = st.characters(exclude_characters="\0", codec="utf-8")
FRAGMENTS = st.sampled_from([
    *"\"',;#=+-@\t\r\n \u2028\u2029\x85\v\f\x1c\u202e\ufeff＝é😀\\%",
    *("\r\n", "##", "\n## engine_runs (5)\r\n", '""', '",', "שלום", "مرحبا", "\\n", "\\.", "=1+1"),
    *("%(client_id)s", "NULL", "'##", "''##", "; =1", ";\u200b ＝1", ";'\u3000@x", "\n +1"),
])  # fmt: skip
TEXTS = st.lists(FRAGMENTS | st.text(CHARACTERS, max_size=5), max_size=8).map("".join)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e15, 1e15)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
PLANTED = (Section.AI_CONVERSATIONS, Section.AUTOMATION_EVENTS, Section.CHURN_PREDICTIONS)


@pytest.fixture(scope="module")
def connection(postgres: PostgresServer) -> "Iterator[psycopg.Connection[Any]]":
    with postgres.database() as url, owner_connection(as_owner(url)) as connection:
        yield connection


def assert_equal(part: Part, section: Section, found: list[dict[str, Any]]) -> None:
    """Check that every cell equals the same field of the JSON."""
    columns = SOURCES[section].columns
    assert part.name == section
    assert part.header == tuple(column.name for column in columns)
    assert part.count == len(part.rows) == len(found)
    for row, record in zip(part.rows, found, strict=True):
        for column, cell, value in zip(columns, row, record.values(), strict=True):
            assert _read(column.kind, cell) == value, (section, column.name, cell)
            if column.kind is CellKind.TEXT and cell:
                assert not cell.startswith(FORBIDDEN)


def _read(kind: CellKind, cell: str | None) -> object:
    if cell is None:
        return None
    match kind:
        case CellKind.TEXT:
            return unguard(cell)
        case CellKind.TIME | CellKind.DAY:
            return cell
        case CellKind.NUMBER | CellKind.BOOLEAN | CellKind.JSON:
            return json.loads(cell)


@given(
    texts=st.lists(TEXTS, min_size=6, max_size=6),
    payload=JSONS,
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    moment=st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 2)),  # noqa: DTZ001
)
@example(
    texts=["## client (1)", "\n## a", "\v'=x", "''##", "\u2028'+", "\r'##"],
    payload="\u2028## engine_runs (5)",
    score=-1.0,
    moment=datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
)
@settings(max_examples=60)
def test_whatever_was_written_comes_back(
    connection: "psycopg.Connection[Any]",
    texts: list[str],
    payload: object,
    score: float | None,
    moment: datetime,
) -> None:
    try:
        plant(connection, "C", texts, payload, score, moment)
        file = written(connection, "C", PLANTED)
        found = {section: records(connection, "C", section) for section in PLANTED}
    finally:
        connection.rollback()

    read = parts(file)

    assert [part.name for part in read] == list(PLANTED)
    for part, section in zip(read, PLANTED, strict=True):
        assert_equal(part, section, found[section])
    event = read[1].rows[0]
    assert unguard(event[1] or "") == texts[0]
    assert json.loads(event[5] or "") == payload
    text = file.decode("utf-8-sig")
    assert section_lines(text) == [f"## {part.name} ({part.count})" for part in read]
    assert len(re.findall(f"(?:^|[{BREAKS}])##", text)) == len(PLANTED)


async def test_a_whole_export(database: Database, shop: Shop, database_url: str) -> None:
    await fill_every_table(database, shop)
    with owner_connection(as_owner(database_url)) as connection:
        plant(connection, shop.client_id, AWKWARD, {"a": AWKWARD}, -1.5e-07, datetime.now(UTC))
        file = written(connection, shop.client_id)
        read = parts(file)
        assert [part.name for part in read] == list(Section)
        for part, section in zip(read, Section, strict=True):
            assert_equal(part, section, records(connection, shop.client_id, section))
        assert all(part.rows for part in read)
    lines = section_lines(file.decode("utf-8-sig"))
    assert lines == [f"## {part.name} ({part.count})" for part in read]


async def test_a_client_that_has_nothing_has_all_headers(
    database: Database, shop: Shop, database_url: str
) -> None:
    with owner_connection(as_owner(database_url)) as connection:
        file = written(connection, shop.client_id)
        read = parts(file)
    assert [part.name for part in read] == list(Section)
    empty = read[list(Section).index(Section.ENGINE_RUNS)]
    assert (empty.count, empty.rows) == (0, ())
    assert b"\r\n## engine_runs (0)\r\nid,event_id,playbook_id," in file


@pytest.mark.parametrize("gap", ["", " ", "  ", "\u00a0", "\u3000", "\u200b \ufeff"])
@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
def test_nothing_behind_a_semicolon_is_a_formula(
    connection: "psycopg.Connection[Any]", gap: str, sign: str
) -> None:
    """Neither in a text nor in a JSON cell, in a reader that trims."""
    planted = f"a;{gap}{sign}1+1"
    try:
        plant(connection, "C", [planted] * 6, {planted: planted}, None, datetime.now(UTC))
        file = written(connection, "C", PLANTED)
        found = {section: records(connection, "C", section) for section in PLANTED}
    finally:
        connection.rollback()

    cells = re.split("[;,]", file.decode("utf-8-sig"))
    assert not [cell for cell in cells if cell.strip(f'"{gap}').startswith(sign)]
    for part, section in zip(parts(file), PLANTED, strict=True):
        assert_equal(part, section, found[section])


def test_how_a_line_looks(connection: "psycopg.Connection[Any]") -> None:
    try:
        texts = ['say "hi", or', "=1", "", "x\n##y", "-5", "'"]
        moment = datetime(2026, 1, 2, 3, 4, 5, 600_000, UTC)
        plant(connection, "C", texts, {"a": ['"', -1]}, -0.5, moment)
        connection.execute("UPDATE churn_predictions SET week = %s", (date(2026, 1, 5),))
        file = written(connection, "C", PLANTED).decode("utf-8-sig")
    finally:
        connection.rollback()
    assert file == (
        "## ai_conversations (1)\r\n"
        "id,key,memory_key,channel,customer_email,summary,thread,sentiment,is_critical,"
        "handed_over_at,taken_by,taken_at,closed_at,snoozed_until,assignee,tags,ended_at,created_at,"
        "last_message_at,messages\r\n"
        '"1","\'=1",,"","x\n\'##y","\'-5","{}",-0.5,false,,,,,,,"[]",,'
        '"2026-01-02T03:04:05.6Z","2026-01-02T03:04:05.6Z","[]"\r\n'
        "## automation_events (1)\r\n"
        "id,event_type,source,status,customer_email,payload,created_at\r\n"
        '"1","say ""hi"", or","\'=1","",,"{""a"": [""\\"""", -1]}",'
        '"2026-01-02T03:04:05.6Z"\r\n'
        "## churn_predictions (1)\r\n"
        "id,customer_email,week,score,level,factors,created_at\r\n"
        '"1","\'\'","2026-01-05",0.5,"low","{""a"": [""\\"""", -1]}","2026-01-02T03:04:05.6Z"'
        "\r\n"
    )


def test_the_file_begins_with_the_mark_of_utf_8_and_ends_with_its_last_row() -> None:
    rendering = CsvRendering()
    assert rendering.begin("2026-01-01T00:00:00.000Z", "C") == b"\xef\xbb\xbf"
    assert rendering.close() == rendering.end() == b""
