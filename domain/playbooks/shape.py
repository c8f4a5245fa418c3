"""The format in which users write playbooks, and the messages about invalid ones.

Amounts are decimal strings here ("50.00"), and whole minor units everywhere else.
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    field_validator,
)
from pydantic_core import ErrorDetails

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.agent.procedure import MAX_PROCEDURE_CHARS, MAX_STEPS, Procedure
from domain.agent.rulebook import (
    MAX_DAYS,
    MAX_INSTRUCTIONS,
    ActionLevel,
    ActionRule,
    DuringReview,
    MoneyLimits,
    Rulebook,
    problem,
)
from domain.core.document_size import until_problems
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.core.plain_text import clean_line, without_controls
from domain.playbooks.playbook import (
    DEFAULT_THRESHOLD,
    MAX_OVERRIDE,
    MAX_PLAYBOOKS,
    OVERRIDE_PATTERN,
    PlaybookSpec,
    check_name,
    check_override,
    check_pattern,
)

MAX_TAG: Final = 40
MAX_TAGS: Final = 50
MAX_NOTE: Final = 500
AMOUNTS: Final = ("per_action", "per_customer", "per_day")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_AMOUNT: Final = re.compile(r"[0-9]{1,13}(\.[0-9]{1,3})?")


def _ruled(check: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that runs `check`, but raises ValueError instead of InvalidInput. pydantic
    adds the path to a ValueError."""

    def checked(value: str) -> str:
        try:
            return check(value)
        except InvalidInput as error:
            # Remove the field's name from the message because the path already contains it.
            raise ValueError(str(error).partition(": ")[2]) from None

    return checked


def _tag(value: str) -> str:
    """Return the tag, cleaned in the same way as tags returned by a brain, so that the brain can
    choose it. Raises ValueError if the tag is invalid."""
    line = clean_line(value, MAX_TAG + 1)
    if not 0 < len(line) <= MAX_TAG:
        raise ValueError(f"a tag has 1 to {MAX_TAG} characters")
    return line


def _short_text(value: str) -> str:
    """Return a text of a procedure as one line. Raises ValueError if it is too long."""
    line = clean_line(value, MAX_PROCEDURE_CHARS + 1)
    if len(line) > MAX_PROCEDURE_CHARS:
        raise ValueError(f"at most {MAX_PROCEDURE_CHARS} characters")
    return line


def _step(value: str) -> str:
    """Return a step of a procedure as one line. Raises ValueError if it is invalid."""
    if not (line := _short_text(value)):
        raise ValueError("a step has at least one character")
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
        """Return the amount. Raises ValueError. If the currency is invalid, only the format is
        checked."""
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
    categories: tuple[Category, ...] = Field(default=(), max_length=len(Category))
    intents: tuple[Intent, ...] = Field(default=(), max_length=len(Intent))
    within_days: StrictInt | None = Field(default=None, ge=1, le=MAX_DAYS)
    limits: _Limits | None = None
    tags: tuple[Annotated[str, AfterValidator(_tag)], ...] = Field(default=(), max_length=MAX_TAGS)
    merchant_requests: StrictBool = False

    def domain(self) -> ActionRule:
        return ActionRule(
            level=self.level,
            categories=self.categories,
            intents=self.intents,
            within_days=self.within_days,
            limits=self.limits.domain() if self.limits else None,
            tags=self.tags,
            merchant_requests=self.merchant_requests,
        )


class PlaybookMode(StrEnum):
    """The mode of a playbook. `shadow`: the agent writes drafts while human agents answer, and
    sends nothing."""

    LIVE = "live"
    SHADOW = "shadow"


class DuringReviewShape(_Part):
    answers: StrictBool = Field(
        default=True,
        description=(
            "True if the agent answers messages about another topic while a review is open."
        ),
    )
    actions: StrictBool = Field(
        default=False,
        description=(
            "True if the agent may act on messages about another topic while a review is open. It "
            "may then also ask the customer to confirm an action."
        ),
    )


class ProcedureShape(_Part):
    """A procedure for a language model, in plain words. It permits no action."""

    when: Annotated[str, AfterValidator(_short_text)] = Field(
        default="", description="When the procedure applies."
    )
    steps: tuple[Annotated[str, AfterValidator(_step)], ...] = Field(
        default=(), max_length=MAX_STEPS, description="Steps, in their order."
    )
    hand_over: Annotated[str, AfterValidator(_short_text)] = Field(
        default="", description="When a human must take over."
    )


class PlaybookShape(_Part):
    name: Annotated[str, AfterValidator(_ruled(check_name))]
    event_type: Annotated[str, AfterValidator(_ruled(check_pattern))]
    threshold: StrictFloat = Field(default=DEFAULT_THRESHOLD, ge=0, le=1)
    active: StrictBool = True
    mode: PlaybookMode = PlaybookMode.LIVE
    instructions: Annotated[str, AfterValidator(without_controls)] = Field(
        default="", max_length=MAX_INSTRUCTIONS
    )
    procedure: ProcedureShape = ProcedureShape()
    actions: dict[ActionKind, _Action] = {}
    during_review: DuringReviewShape = DuringReviewShape()

    def spec(self) -> PlaybookSpec:
        rules = {kind: action.domain() for kind, action in self.actions.items()}
        return PlaybookSpec(
            name=self.name,
            event_type=self.event_type,
            threshold=self.threshold,
            active=self.active,
            rulebook=Rulebook(
                instructions=self.instructions,
                procedure=Procedure(**self.procedure.model_dump()),
                actions=rules,
                shadow=self.mode is PlaybookMode.SHADOW,
                during_review=DuringReview(
                    answers=self.during_review.answers, actions=self.during_review.actions
                ),
            ),
        )


class DraftShape(PlaybookShape):
    """One playbook as described in a request, with the details of the requested change."""

    note: Annotated[str, AfterValidator(without_controls)] | None = Field(
        default=None,
        max_length=MAX_NOTE,
        description="Reason for the change. It is stored with the new version.",
    )
    expected_version: StrictInt | None = Field(
        default=None,
        ge=1,
        description=(
            "Version on which the change is based. The change is rejected if the playbook now "
            "has another version."
        ),
    )
    override: Annotated[str, AfterValidator(_ruled(check_override))] | None = Field(
        default=None,
        max_length=MAX_OVERRIDE,
        json_schema_extra={"pattern": OVERRIDE_PATTERN},
        description=(
            "Reason for going live although not all cases have passed. Only owners may give it."
        ),
    )


class FileShape(_Part):
    version: Literal[1]
    playbooks: tuple[Annotated[PlaybookShape, WrapValidator(until_problems)], ...] = Field(
        max_length=MAX_PLAYBOOKS
    )


def problems_of(playbook: PlaybookShape) -> Iterator[str]:
    """Yield the problems in a playbook that the schema does not detect, each with its path."""
    for kind, action in playbook.actions.items():
        if wrong := problem(kind, action.domain()):
            yield f"actions.{kind}: {wrong}"


def problems_of_file(file: FileShape) -> Iterator[str]:
    """Yield the problems that the schema does not detect in a file's playbooks, including duplicate
    names."""
    names: set[str] = set()
    for number, playbook in enumerate(file.playbooks):
        if playbook.name in names:
            yield f"playbooks[{number}].name: another one of this file has it"
        names.add(playbook.name)
        for wrong in problems_of(playbook):
            yield f"playbooks[{number}].{wrong}"


def said_of(error: ValidationError, whole: str, *, first: int = 0) -> list[str]:
    """Return pydantic's errors, worded for the author. `whole` names the validated object, such as
    "the file". `first` is the position of the first entry in the file."""
    found = error.errors(include_url=False, include_input=False)
    return [_line(one, whole, first) for one in found]


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


def _line(error: ErrorDetails, whole: str, first: int) -> str:
    """Return one of pydantic's errors, worded for the file's author."""
    kind, context = error["type"], error.get("ctx", {})
    parts = [part for part in error["loc"] if part != "[key]"]
    if first and len(parts) > 1 and isinstance(parts[1], int):
        parts[1] += first
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    if kind in {"enum", "literal_error"}:
        said = f"{context['expected']} expected"
    elif kind == "value_error":
        said = str(context["error"])
    elif kind == "too_short":
        said = f"at least {context['min_length']} expected"
    elif kind == "too_long":
        said = f"at most {context['max_length']} expected"
    elif kind == "string_type" and parts[-1] in AMOUNTS:
        said = 'a decimal number in quotes expected, as in "50.00"'
    else:
        said = _SAID.get(kind, error["msg"].replace("Input should be", "must be"))
    return f"{path.lstrip('.') or whole}: {said}"
