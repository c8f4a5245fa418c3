"""Playbooks as a file of YAML, for people to read, review and carry from one client to another.

Amounts are decimal strings there ("50.00") and whole minor units everywhere else. What is wrong is
named by its path, as in `playbooks[0].actions.refund.limits.per_action`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.agent.rulebook import (
    MAX_DAYS,
    MAX_INSTRUCTIONS,
    ActionLevel,
    ActionRule,
    MoneyLimits,
    Rulebook,
    problem,
)
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.core.plain_text import clean_line, without_controls
from domain.core.strict_yaml import read_yaml, write_yaml
from domain.playbooks.playbook import DEFAULT_THRESHOLD, PlaybookSpec, check_name, check_pattern

MAX_FILE_BYTES: Final = 256 * 1024
MAX_TAG: Final = 40
MAX_TAGS: Final = 50
_MAX_TOLD: Final = 10
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_AMOUNT: Final = re.compile(r"[0-9]{1,13}(\.[0-9]{1,3})?")


def parse_playbooks(data: bytes) -> tuple[PlaybookSpec, ...]:
    """The playbooks of a file. Raises InvalidInput: a line for each thing that is wrong, ten at
    most."""
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInput(f"a playbook file has at most {MAX_FILE_BYTES // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("a playbook file is UTF-8 text") from None
    try:
        file = _File.model_validate(read_yaml(text))
    except ValidationError as error:
        raise _refused([_line(one) for one in error.errors(include_url=False)]) from None
    if problems := _problems(file):
        raise _refused(problems)
    return tuple(playbook.spec() for playbook in file.playbooks)


def write_playbooks(specs: Sequence[PlaybookSpec]) -> str:
    """The file of these playbooks; `parse_playbooks` gives the same ones back."""
    return write_yaml({"version": 1, "playbooks": [_written(spec) for spec in specs]})


def _ruled(check: Callable[[str], str]) -> Callable[[str], str]:
    """A check of the domain where pydantic expects its own kind of error, to give it a path."""

    def checked(value: str) -> str:
        try:
            return check(value)
        except InvalidInput as error:
            # The path names the field already.
            raise ValueError(str(error).partition(": ")[2]) from None

    return checked


def _tag(value: str) -> str:
    """As a brain's tags are cleaned, so that it can choose this one."""
    line = clean_line(value, MAX_TAG + 1)
    if not 0 < len(line) <= MAX_TAG:
        raise ValueError(f"a tag has 1 to {MAX_TAG} characters")
    return line


def _currency(value: str) -> str:
    if not _CURRENCY.fullmatch(value):
        raise ValueError("three capital letters expected, as in EUR")
    return value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Limits(_Part):
    currency: Annotated[str, AfterValidator(_currency)]
    per_action: str | None = None
    per_customer: str | None = None
    per_day: str | None = None

    @field_validator("per_action", "per_customer", "per_day")
    @classmethod
    def _exact(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Without a currency, which is wrong then, only the shape is checked."""
        if value is None:
            return None
        if not _AMOUNT.fullmatch(value):
            raise ValueError('a decimal number in quotes expected, as in "50.00"')
        try:
            Money.parse(value, info.data.get("currency", "EUR"))
        except InvalidInput as error:
            raise ValueError(str(error).removeprefix("amount: ")) from None
        return value

    def domain(self) -> MoneyLimits:
        return MoneyLimits(
            currency=self.currency,
            per_action=self._minor(self.per_action),
            per_customer=self._minor(self.per_customer),
            per_day=self._minor(self.per_day),
        )

    def _minor(self, amount: str | None) -> int | None:
        return None if amount is None else Money.parse(amount, self.currency).minor


class _Action(_Part):
    level: ActionLevel
    categories: tuple[Category, ...] = ()
    intents: tuple[Intent, ...] = ()
    within_days: StrictInt | None = Field(default=None, ge=1, le=MAX_DAYS)
    limits: _Limits | None = None
    tags: tuple[Annotated[str, AfterValidator(_tag)], ...] = Field(default=(), max_length=MAX_TAGS)

    def domain(self) -> ActionRule:
        return ActionRule(
            level=self.level,
            categories=self.categories,
            intents=self.intents,
            within_days=self.within_days,
            limits=self.limits.domain() if self.limits else None,
            tags=self.tags,
        )


class _Playbook(_Part):
    name: Annotated[str, AfterValidator(_ruled(check_name))]
    event_type: Annotated[str, AfterValidator(_ruled(check_pattern))]
    threshold: StrictFloat = Field(default=DEFAULT_THRESHOLD, ge=0, le=1)
    active: StrictBool = True
    instructions: Annotated[str, AfterValidator(without_controls)] = Field(
        default="", max_length=MAX_INSTRUCTIONS
    )
    actions: dict[ActionKind, _Action] = {}

    def spec(self) -> PlaybookSpec:
        rules = {kind: action.domain() for kind, action in self.actions.items()}
        return PlaybookSpec(
            name=self.name,
            event_type=self.event_type,
            threshold=self.threshold,
            active=self.active,
            rulebook=Rulebook(instructions=self.instructions, actions=rules),
        )


class _File(_Part):
    version: Literal[1]
    playbooks: tuple[_Playbook, ...]


def _problems(file: _File) -> list[str]:
    """What is wrong with parts that are right each by itself."""
    found: list[str] = []
    names: set[str] = set()
    for number, playbook in enumerate(file.playbooks):
        if playbook.name in names:
            found.append(f"playbooks[{number}].name: another one of this file has it")
        names.add(playbook.name)
        for kind, action in playbook.actions.items():
            if wrong := problem(kind, action.domain()):
                found.append(f"playbooks[{number}].actions.{kind}: {wrong}")
    return found


def _refused(lines: list[str]) -> InvalidInput:
    more = [f"and {len(lines) - _MAX_TOLD} more"] if len(lines) > _MAX_TOLD else []
    return InvalidInput("\n".join([*lines[:_MAX_TOLD], *more]))


_SAID: Final = {
    "missing": "is missing",
    "extra_forbidden": "there is no such key",
    "string_type": "a text expected; what looks like something else goes in quotes",
    "bool_type": "true or false expected",
    "int_type": "a whole number expected",
    "float_type": "a number expected",
    "model_type": "keys and values expected",
    "dict_type": "keys and values expected",
    "tuple_type": "a list expected",
}
_AMOUNTS: Final = ("per_action", "per_customer", "per_day")


def _line(error: ErrorDetails) -> str:
    """One of pydantic's errors for the author of the file."""
    kind, context = error["type"], error.get("ctx", {})
    parts = [part for part in error["loc"] if part != "[key]"]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    if kind in {"enum", "literal_error"}:
        said = f"{context['expected']} expected"
    elif kind == "value_error":
        said = str(context["error"])
    elif kind == "string_type" and parts[-1] in _AMOUNTS:
        said = 'a decimal number in quotes expected, as in "50.00"'
    else:
        said = _SAID.get(kind, error["msg"].replace("Input should be", "must be"))
    return f"{path.lstrip('.') or 'the file'}: {said}"


def _written(spec: PlaybookSpec) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {
        "name": spec.name,
        "event_type": spec.event_type,
        "threshold": spec.threshold,
        "active": spec.active,
    }
    if spec.rulebook.instructions:
        written["instructions"] = spec.rulebook.instructions
    if spec.rulebook.actions:
        actions = spec.rulebook.actions.items()
        written["actions"] = {kind.value: _written_rule(rule) for kind, rule in actions}
    return written


def _written_rule(rule: ActionRule) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {"level": rule.level.value}
    if rule.categories:
        written["categories"] = [category.value for category in rule.categories]
    if rule.intents:
        written["intents"] = [intent.value for intent in rule.intents]
    if rule.within_days is not None:
        written["within_days"] = rule.within_days
    if rule.limits:
        written["limits"] = _written_limits(rule.limits)
    if rule.tags:
        written["tags"] = list(rule.tags)
    return written


def _written_limits(limits: MoneyLimits) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {"currency": limits.currency}
    for name in _AMOUNTS:
        minor: int | None = getattr(limits, name)
        if minor is not None:
            written[name] = Money(minor=minor, currency=limits.currency).decimal()
    return written
