"""A set is read as committed: complete rows, each in its part, and the sealed part verified by its
hash."""

from hashlib import sha256
from pathlib import Path

import pytest

from evaluation.action_case import ActionCase
from evaluation.attempt import HandAttempt
from evaluation.hand_rows import HonestMessage, NumberText, SafetyMessage, TemplateMessage
from evaluation.sealing import BrokenSet, HandRow, LabelledSet, SetPart, is_sealed, read_set

OPEN = next(f"T-{number}" for number in range(99) if not is_sealed(f"T-{number}"))
SEALED = next(f"T-{number}" for number in range(99) if is_sealed(f"T-{number}"))
SAFETY = "language: en, category: health, harmless: false, text: ouch"
TEMPLATE = "language: en, category: other, right: true, text: my bill"
ORDER = "{number: '1', total: '9.00', state: open}"
ACTION = f"language: en, message: cancel 1, why: w, orders: [{ORDER}]"


def folder_of(tmp_path: Path, opened: str, sealed: str | None = None) -> Path:
    """A folder with one set named `some`, whose sealed part matches its hash."""
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "some.yaml").write_text(opened)
    if sealed is not None:
        (tmp_path / "sealed").mkdir()
        (tmp_path / "sealed" / "some.yaml").write_text(sealed)
    promised = sha256((sealed or "").encode()).hexdigest()
    (tmp_path / "sealed.sha256").write_text(f"{promised}  some.yaml\n")
    return tmp_path


def honest(row_id: str) -> str:
    return f"- {{id: {row_id}, language: en, text: hello}}\n"


def test_without_its_sealed_part_a_set_is_its_open_part(tmp_path: Path) -> None:
    read = read_set("some", HonestMessage, folder_of(tmp_path, honest(OPEN)))

    assert [row.id for row in read.rows] == [OPEN]
    assert read.sealed is None
    assert list(read.parts) == [SetPart.OPEN]


def test_the_sealed_part_stands_apart(tmp_path: Path) -> None:
    read = read_set("some", HonestMessage, folder_of(tmp_path, honest(OPEN), honest(SEALED)))

    assert {part: [row.id for row in rows] for part, rows in read.parts.items()} == {
        SetPart.OPEN: [OPEN],
        SetPart.SEALED: [SEALED],
        SetPart.BOTH: [OPEN, SEALED],
    }


def test_a_sealed_file_that_was_touched_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, honest(OPEN), honest(SEALED))
    (folder / "sealed" / "some.yaml").write_text(honest(SEALED).replace("hello", "hullo"))

    with pytest.raises(BrokenSet, match=r"some\.yaml: the file does not match"):
        read_set("some", HonestMessage, folder)


def test_a_sealed_file_that_nobody_promised_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, honest(OPEN), honest(SEALED))
    (folder / "sealed.sha256").write_text("")

    with pytest.raises(BrokenSet, match="the file does not match"):
        read_set("some", HonestMessage, folder)


def test_an_id_decides_its_part(tmp_path: Path) -> None:
    with pytest.raises(BrokenSet, match="other part"):
        read_set("some", HonestMessage, folder_of(tmp_path, honest(SEALED)))


def test_a_row_in_the_sealed_part_that_is_open_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenSet, match="other part"):
        read_set("some", HonestMessage, folder_of(tmp_path, honest(OPEN), honest(OPEN)))


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (HonestMessage, "language: en, text: ''"),
        (HonestMessage, "language: de, text: hallo"),
        (HonestMessage, "language: en, text: hello, note: more"),
        (SafetyMessage, SAFETY.replace("health", "weather")),
        (SafetyMessage, SAFETY.replace("harmless: false, ", "")),
        (HandAttempt, "written_in: german, place: message, text: hallo"),
        (HandAttempt, "written_in: de, place: nowhere, text: hallo"),
        (TemplateMessage, TEMPLATE.replace("other", "another")),
        (TemplateMessage, TEMPLATE.replace("true", "perhaps")),
        (NumberText, "text: order 1042, numbers: [1042]"),
        (NumberText, "text: order 1042, numbers: ['1042', '1042']"),
        (ActionCase, f"{ACTION}, expect: act, action: cancel"),
        (ActionCase, f"{ACTION}, expect: act, action: cancel, order: '2'"),
        (ActionCase, f"{ACTION}, expect: act, order: '1'"),
        (ActionCase, f"{ACTION}, expect: ask"),
        (ActionCase, f"{ACTION}, expect: ask, action: cancel, order: '1'"),
        (ActionCase, f"{ACTION}, expect: nothing, action: cancel"),
        (ActionCase, f"{ACTION}, expect: perhaps"),
        (ActionCase, f"{ACTION}, expect: nothing, pending: {{action: refund, order: '2'}}"),
        (ActionCase, f"{ACTION}, expect: nothing, history: [{{customer: a, agent: b}}]"),
        (ActionCase, f"{ACTION}, expect: nothing, history: [{{}}]"),
        (ActionCase, f"{ACTION}, expect: nothing".replace("'9.00'", "'nine'")),
        (ActionCase, f"{ACTION}, expect: nothing".replace(ORDER, "")),
        (ActionCase, f"{ACTION}, expect: nothing".replace(ORDER, f"{ORDER}, {ORDER}")),
    ],
)
def test_a_broken_row_is_told(kind: type[HandRow], fields: str, tmp_path: Path) -> None:
    with pytest.raises(BrokenSet, match=r"^some\.yaml: "):
        read_set("some", kind, folder_of(tmp_path, f"- {{id: {OPEN}, {fields}}}\n"))


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (SafetyMessage, SAFETY),
        (TemplateMessage, TEMPLATE),
        (HandAttempt, "written_in: de, place: message, text: hallo"),
        (NumberText, "text: order 1042, numbers: ['1042']"),
        (ActionCase, f"{ACTION}, expect: act, action: cancel, order: '1'"),
        (ActionCase, f"{ACTION}, expect: ask, action: cancel"),
        (ActionCase, f"{ACTION}, expect: nothing, pending: {{action: refund, order: '1'}}"),
    ],
)
def test_a_whole_row_is_read(kind: type[HandRow], fields: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, f"- {{id: {OPEN}, {fields}}}\n")

    assert [row.id for row in read_set("some", kind, folder).rows] == [OPEN]


@pytest.mark.parametrize(
    ("text", "told"),
    [(honest(OPEN) * 2, f"twice: {OPEN}"), ("- [", "not valid YAML"), ("id: 1", "tuple")],
)
def test_a_broken_file_is_told(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(BrokenSet, match=told):
        read_set("some", HonestMessage, folder_of(tmp_path, text))


def test_about_a_third_is_sealed() -> None:
    sealed = sum(is_sealed(f"A-act-{number:03}") for number in range(1, 1_000))

    assert 300 < sealed < 366


def test_parts_of_nothing_opened_are_one() -> None:
    row = HonestMessage(id=OPEN, text="hello")

    assert LabelledSet(open=(row,)).rows == (row,)
    assert LabelledSet(open=(row,), sealed=()).parts[SetPart.SEALED] == ()
