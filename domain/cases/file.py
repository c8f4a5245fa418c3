"""Saved cases as a file of YAML, beside playbooks.

What is wrong is named by its path, as in `cases[0].expected.actions[1]`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from domain.cases.case import MAX_CASES, CaseSpec, SavedCase
from domain.cases.errors import InvalidCases
from domain.core.errors import InvalidInput
from domain.core.plain_text import clean_line
from domain.core.strict_yaml import read_yaml, write_yaml
from domain.playbooks.shape import said_of

MAX_CASE_FILE_BYTES: Final = 1024 * 1024
_MAX_TOLD: Final = 10


class CaseFileShape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    cases: tuple[CaseSpec, ...] = Field(max_length=MAX_CASES)


class CaseImportOutcome(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class CaseChange(BaseModel):
    """A case of a file, and what becomes of the client's."""

    model_config = ConfigDict(frozen=True)

    outcome: CaseImportOutcome
    case: SavedCase


def parse_cases(data: bytes) -> tuple[CaseSpec, ...]:
    """The cases of a file. Raises InvalidCases: a line for each thing that is wrong, ten at
    most."""
    if len(data) > MAX_CASE_FILE_BYTES:
        raise InvalidCases([f"a file of cases has at most {MAX_CASE_FILE_BYTES // 1024} KiB"])
    try:
        return cases_in(read_yaml(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise InvalidCases(["a file of cases is UTF-8 text"]) from None
    except InvalidInput as error:
        raise InvalidCases([str(error)]) from None


def cases_in(value: JsonValue) -> tuple[CaseSpec, ...]:
    """The cases of a file that has been read. Raises InvalidCases."""
    try:
        # As JSON, whose types are what YAML has: lists and texts stand for tuples and enums.
        file = CaseFileShape.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        raise _refused(said_of(error, "the file")) from None
    if problems := list(_problems(file)):
        raise _refused(problems)
    return file.cases


def case_in(value: JsonValue) -> CaseSpec:
    """One case, written as in a file. Raises InvalidCases."""
    try:
        spec = CaseSpec.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        raise _refused(said_of(error, "the case")) from None
    if problems := list(problems_of_case(spec)):
        raise _refused(problems)
    return spec


def write_cases(specs: Iterable[CaseSpec]) -> str:
    """The file of these cases; `parse_cases` gives the same ones back."""
    cases: list[JsonValue] = [
        {
            "name": spec.name,
            **CaseSpec.model_dump(
                CaseSpec(**dict(spec)), mode="json", exclude_defaults=True, exclude={"name"}
            ),
        }
        for spec in specs
    ]
    return write_yaml({"version": 1, "cases": cases})


def problems_of_case(spec: CaseSpec) -> Iterator[str]:
    """What is wrong with parts that are right each by itself, by their paths."""
    if clean_line(spec.name, len(spec.name)) != spec.name:
        yield "name: one line without blanks around it"
    if not any(message.text.strip() for message in spec.scenario.messages):
        yield "scenario.messages: a message without a word"
    if spec.scenario.messages[-1].author != "customer":
        yield "scenario.messages: the last one is the customer's"
    expected = spec.expected
    for kind in set(expected.actions) & set(expected.forbidden):
        yield f"expected.forbidden: {kind} is expected too"


def _problems(file: CaseFileShape) -> Iterator[str]:
    names: set[str] = set()
    for number, spec in enumerate(file.cases):
        if spec.name in names:
            yield f"cases[{number}].name: another one of this file has it"
        names.add(spec.name)
        for problem in problems_of_case(spec):
            yield f"cases[{number}].{problem}"


def _refused(lines: Sequence[str]) -> InvalidCases:
    more = [f"and {len(lines) - _MAX_TOLD} more"] if len(lines) > _MAX_TOLD else []
    return InvalidCases([*lines[:_MAX_TOLD], *more])
