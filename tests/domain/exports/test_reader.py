"""An export's text, parsed as a stream for any content."""

import io
import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.exports import reader as export_reader
from domain.exports.errors import InvalidExport
from domain.exports.export import Section
from domain.exports.reader import ExportHead, RawRecord, read_export

CLIENT = "01KAK8Z0A1B2C3D4E5F6G7H8J9"

json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text() | st.sampled_from(['"', "\\", "}", "]", "{[", '\\"}', ",", "\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


class Dribble:
    """A stream that returns arbitrarily small chunks."""

    def __init__(self, data: bytes, chance: random.Random) -> None:
        self._data = io.BytesIO(data)
        self._chance = chance

    def read(self, size: int = -1, /) -> bytes:
        return self._data.read(min(size, self._chance.randint(1, 9)))


def text_of(records: dict[str, list[JsonValue]] | None = None, **layout: object) -> str:
    sections = {section.value: (records or {}).get(section.value, []) for section in Section}
    head = {"exported_at": "2026-01-01T00:00:00.000Z", "client_id": CLIENT}
    return json.dumps({**head, **sections}, **layout)  # type: ignore[arg-type]


def read(text: str) -> list[ExportHead | RawRecord]:
    return list(read_export(io.BytesIO(text.encode())))


@given(
    records=st.lists(st.dictionaries(st.text(), json_values, max_size=4), max_size=4),
    indent=st.sampled_from([None, 0, 2]),
    plain=st.booleans(),
    chance=st.randoms(use_true_random=False),
)
def test_records_come_as_they_were_written(
    records: list[dict[str, JsonValue]], indent: int | None, plain: bool, chance: random.Random
) -> None:
    """Records are parsed identically in any layout and in chunks of any size."""
    text = text_of({"engine_runs": [*records]}, indent=indent, ensure_ascii=plain)
    head, *found = read_export(Dribble(text.encode("utf-8", "surrogatepass"), chance))
    assert isinstance(head, ExportHead)
    assert head.client_id == CLIENT
    assert [json.loads(one.text) for one in found if isinstance(one, RawRecord)] == records
    assert [one.number for one in found if isinstance(one, RawRecord)] == [
        *range(1, len(records) + 1)
    ]


WRONG: dict[str, tuple[str | Callable[[str], str], str]] = {
    "nothing": ("", "cut off"),
    "a CSV": ("\ufeff## client (1)\r\n", "no JSON"),
    "an array": ("[]", "no JSON"),
    "a word": ('"export"', "no JSON"),
    "no export": ('{"a": 1}', "exported_at is expected here"),
    "an answer": ('{"error": "Non autorise."}', "exported_at is expected here"),
    "something behind": (lambda good: good + "{}", "behind the export"),
    "a section more": (lambda good: good[:-1] + ', "x": []}', "behind conversation_notes"),
    "a section less": (
        lambda good: good.replace('"settings": [], ', ""), "settings is expected here, not integ",
    ),
    "another order": (
        lambda good: good.replace("metrics_daily", "x").replace("engine_runs", "metrics_daily"),
        "engine_runs is expected here, not metrics_daily",
    ),
    "no array": (lambda good: good.replace('"client": []', '"client": {}'), "client: an array"),
    "no object": (
        lambda good: good.replace('"client": []', '"client": [1]'), "client, record 1: an object",
    ),
    "no comma": (lambda good: good.replace('"client": []', '"client": [{} {}]'), "no JSON"),
    "no client": (lambda good: good.replace(CLIENT, "x"), "client_id: no value"),
    "no time": (lambda good: good.replace("2026-01-01T", "yesterday"), "exported_at: no value"),
    "a number for a time": (
        lambda good: good.replace('"2026-01-01T00:00:00.000Z"', "5"), "no JSON",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_export(name: str) -> None:
    text, told = WRONG[name]
    with pytest.raises(InvalidExport, match=told):
        read(text if isinstance(text, str) else text(text_of()))


@pytest.mark.parametrize(
    "first", ["audit_entries", "attachments", "saved_cases", "corrections", "ratings"]
)
def test_a_file_of_before_there_were_all_sections(first: str) -> None:
    old = json.loads(text_of({"knowledge_entries": [{"a": 1}]}))
    for name in list(Section)[list(Section).index(Section(first)) :]:
        del old[name]

    _, record = read(json.dumps(old))

    assert isinstance(record, RawRecord)
    assert record.section == "knowledge_entries"


def test_a_file_that_was_cut_off() -> None:
    good = text_of({"knowledge_entries": [{"a": 'x"y'}]})
    for end in range(len(good)):
        with pytest.raises(InvalidExport, match="cut off"):
            read(good[:end])


def test_other_bytes() -> None:
    good = text_of({"client": [{"a": "x"}]}).encode()
    for bad in (good.decode().encode("utf-16"), good.replace(b'"x"', b'"\xff"')):
        with pytest.raises(InvalidExport, match="no JSON"):
            list(read_export(io.BytesIO(bad)))


BAD_VALUES = {
    "five thousand digits": "9" * 5_000,
    "four hundred digits": f"[{'9' * 400}]",
    "beyond all numbers": "-1E+0400",
    "half a pair": '"\\ud800"',
    "nested too deeply": "[" * 100_000 + "]" * 100_000,
    "unbalanced": "[}",
    "no JSON": "nul",
    "NUL": '"a\\\\\\u0000"',
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_a_record_that_is_no_json(name: str) -> None:
    record: dict[str, JsonValue] = {
        "id": "x", "event_type": "a", "source": None, "status": None, "customer_email": "secret",
        "payload": {"a": "@"}, "created_at": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    good = text_of({"automation_events": [record]})
    for right in ('"\\\\u0000"', f'[1e308, -1e-400, 0e400, "1e400 {"9" * 400}"]'):
        for one in read(good.replace('"@"', right))[1:]:
            assert isinstance(one, RawRecord)
            one.check()

    def check_all() -> None:
        for one in read(good.replace('"@"', BAD_VALUES[name])):
            if isinstance(one, RawRecord):
                one.check()

    with pytest.raises(InvalidExport) as told:
        check_all()
    assert "secret" not in str(told.value)
    assert len(str(told.value)) < 200


def test_no_record_takes_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_reader, "MAX_RECORD_BYTES", 10_000)
    monkeypatch.setattr(export_reader, "_CHUNK_BYTES", 1_000)
    read(text_of({"client": [{"a": "x" * 5_000}] * 9}))
    with pytest.raises(InvalidExport, match="larger"):
        read(text_of({"client": [{"a": "x" * 50_000}]}))
