"""Read and write saved cases as a YAML file. Errors give the path of the invalid value, such as
`cases[0].expected.actions[1]`."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from domain.cases.case import MAX_CASES, CaseOrigin, CaseSpec, SavedCase
from domain.cases.errors import InvalidCases
from domain.core.document_size import oversized
from domain.core.errors import InvalidInput
from domain.core.plain_text import clean_line, without_controls
from domain.core.strict_yaml import read_yaml, write_list
from domain.playbooks.shape import said_of

S = TypeVar("S", bound=BaseModel)

MAX_CASE_FILE_BYTES: Final = 1024 * 1024
_MAX_SHOWN: Final = 10


class CaseFileShape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    cases: tuple[CaseSpec, ...] = Field(max_length=MAX_CASES)


class NewCaseShape(CaseSpec):
    """A case to add. `origin` is `hand` for a user's own case, or `simulation`."""

    origin: Literal["hand", "simulation"] = "hand"


class CaseImportOutcome(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class CaseChange(BaseModel):
    """A case in an imported file, and the effect of the import on the client's cases."""

    model_config = ConfigDict(frozen=True)

    outcome: CaseImportOutcome
    case: SavedCase


def parse_cases(data: bytes) -> tuple[CaseSpec, ...]:
    """Return the cases in a YAML file. Raises InvalidCases, which lists each problem on one line,
    up to a limit."""
    return cases_in(case_yaml_in(data))


def case_yaml_in(data: bytes) -> JsonValue:
    """Return the content of a YAML document. Raises InvalidCases, with the line number for invalid
    YAML."""
    if len(data) > MAX_CASE_FILE_BYTES:
        raise InvalidCases([f"a file of cases has at most {MAX_CASE_FILE_BYTES // 1024} KiB"])
    try:
        return read_yaml(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidCases(["a file of cases is UTF-8 text"]) from None
    except InvalidInput as error:
        raise InvalidCases([str(error)]) from None


def cases_in(value: JsonValue) -> tuple[CaseSpec, ...]:
    """Return the cases in the parsed content of a case file. Raises InvalidCases."""
    _refuse(filter(None, [oversized(value)]))
    cases: list[CaseSpec] = []
    problems: dict[str, None] = {}
    for place, part in enumerate(_single_cases(value)):
        try:
            cases += _validated(CaseFileShape, part).cases
        except ValidationError as error:
            problems |= dict.fromkeys(said_of(error, "the file", first=place))
        # The rest of the file is not validated, because each invalid value costs time.
        if len(problems) > _MAX_SHOWN:
            break
    _refuse(problems)
    _refuse(_problems_of_cases(cases))
    return tuple(cases)


def _single_cases(value: JsonValue) -> list[JsonValue]:
    """Split a file into one file per case, so that the cases are validated one at a time. A file
    without a list of cases is returned unchanged."""
    cases = value.get("cases") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(cases, list) or not cases:
        return [value]
    return [{**value, "cases": [one]} for one in cases]


def case_in(value: JsonValue) -> CaseSpec:
    """Return one case from its representation in a case file. Raises InvalidCases."""
    spec = _shaped(CaseSpec, value, "the case")
    _refuse(problems_of_case(spec))
    return spec


def new_case_in(value: JsonValue) -> tuple[CaseSpec, CaseOrigin]:
    """Return a case to add, with its origin. Raises InvalidCases."""
    shape = _shaped(NewCaseShape, value, "the case")
    _refuse(problems_of_case(shape))
    return spec_of(shape), CaseOrigin(shape.origin)


def spec_of(case: CaseSpec) -> CaseSpec:
    """Return a copy of the case with only the editable fields."""
    return CaseSpec(**{name: getattr(case, name) for name in CaseSpec.model_fields})


def compare_cases(
    known: Iterable[SavedCase], specs: Sequence[CaseSpec], made: Callable[[CaseSpec], SavedCase]
) -> tuple[CaseChange, ...]:
    """Return the changes that make the client's cases match `specs`, by name. Cases that are not in
    `specs` stay unchanged."""
    by_name = {case.name: case for case in known}
    return tuple(_change(by_name.get(spec.name), spec, made) for spec in specs)


def _change(
    before: SavedCase | None, spec: CaseSpec, made: Callable[[CaseSpec], SavedCase]
) -> CaseChange:
    if before is None:
        return CaseChange(outcome=CaseImportOutcome.CREATED, case=made(spec))
    if spec_of(before) == spec:
        return CaseChange(outcome=CaseImportOutcome.UNCHANGED, case=before)
    changed = before.model_copy(update=dict(spec))
    return CaseChange(outcome=CaseImportOutcome.CHANGED, case=changed)


def write_cases(specs: Iterable[CaseSpec]) -> str:
    """Return a YAML file that contains these cases. `parse_cases` returns the same cases from the
    file."""
    return write_list({"version": 1}, "cases", map(written_case, specs))


def written_case(spec: CaseSpec) -> dict[str, JsonValue]:
    """Return a case in the representation of case files, without default values."""
    written: dict[str, JsonValue] = spec_of(spec).model_dump(mode="json", exclude_defaults=True)
    return {**written, "expected": written.get("expected", {})}


def problems_of_case(spec: CaseSpec) -> Iterator[str]:
    """Yield the problems in a case that the schema cannot detect, each with its path."""
    if clean_line(spec.name, len(spec.name)) != spec.name:
        yield "name: one line without blanks around it"
    if not any(message.text.strip() for message in spec.scenario.messages):
        yield "scenario.messages: a message without a word"
    expected = spec.expected
    for kind in set(expected.actions) & set(expected.forbidden):
        yield f"expected.forbidden: {kind} is expected too"


def _problems_of_cases(cases: Sequence[CaseSpec]) -> Iterator[str]:
    names: set[str] = set()
    for number, spec in enumerate(cases):
        if spec.name in names:
            yield f"cases[{number}].name: another one of this file has it"
        names.add(spec.name)
        for problem in problems_of_case(spec):
            yield f"cases[{number}].{problem}"


def _shaped(shape: type[S], value: JsonValue, whole: str) -> S:
    """Validate a value against a model. Raises InvalidCases."""
    _refuse(filter(None, [oversized(value)]))
    try:
        return _validated(shape, value)
    except ValidationError as error:
        raise _refused(said_of(error, whole)) from None


def _validated(shape: type[S], value: JsonValue) -> S:
    """Validate a value against a model in JSON mode, which accepts lists for tuples and strings for
    enums. Raises ValidationError."""
    return shape.model_validate_json(json.dumps(_plain(value)), strict=True)


def _plain(value: JsonValue) -> JsonValue:
    """Return the value without control characters. The recursion is safe because the YAML parser
    has already limited the depth."""
    match value:
        case str():
            return without_controls(value)
        case list():
            return [_plain(one) for one in value]
        case dict():
            return {name: _plain(one) for name, one in value.items()}
        case _:
            return value


def _refuse(problems: Iterable[str]) -> None:
    if found := list(problems):
        raise _refused(found)


def _refused(lines: Sequence[str]) -> InvalidCases:
    more = [f"and {len(lines) - _MAX_SHOWN} more"] if len(lines) > _MAX_SHOWN else []
    return InvalidCases([*lines[:_MAX_SHOWN], *more])
