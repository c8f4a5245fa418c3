"""Read and write playbooks as a YAML file, which users review and copy between clients.

Problems are located by path, such as `playbooks[0].actions.refund.limits.per_action`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue, ValidationError

from domain.agent.rulebook import ActionRule, MoneyLimits
from domain.core.comparable import DiffBudget, unified
from domain.core.document_size import bounded_problems, oversized
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.core.strict_yaml import read_yaml, write_list, write_yaml
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.playbook import PlaybookSpec
from domain.playbooks.shape import (
    AMOUNTS,
    DraftShape,
    DuringReviewShape,
    FileShape,
    PlaybookMode,
    problems_of,
    problems_of_file,
    said_of,
)

MAX_FILE_BYTES: Final = 256 * 1024
_MAX_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class PlaybookDraft:
    """A playbook as described in a request.

    If `says_active` is true, the request sets the active state. `expected_version` is the version
    that the author edited. `override` is the reason for going live with cases that have not passed.
    """

    spec: PlaybookSpec
    says_active: bool
    note: str | None = None
    expected_version: int | None = None
    override: str | None = None


def parse_playbooks(data: bytes) -> tuple[PlaybookSpec, ...]:
    """Return the playbooks in a YAML file. Raises InvalidPlaybook, which lists up to ten problems,
    one per line."""
    return playbooks_in(yaml_in(data))


def yaml_in(data: bytes) -> JsonValue:
    """Return the content of a YAML document. Raises InvalidPlaybook, with the line number for
    invalid YAML."""
    if len(data) > MAX_FILE_BYTES:
        raise InvalidPlaybook([f"a playbook file has at most {MAX_FILE_BYTES // 1024} KiB"])
    try:
        return read_yaml(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidPlaybook(["a playbook file is UTF-8 text"]) from None
    except InvalidInput as error:
        raise InvalidPlaybook([str(error)]) from None


def playbooks_in(value: JsonValue) -> tuple[PlaybookSpec, ...]:
    """Return the playbooks in the parsed content of a playbook file. Raises InvalidPlaybook."""
    _refuse(filter(None, [oversized(value)]))
    try:
        with bounded_problems():
            file = FileShape.model_validate(value)
    except ValidationError as error:
        raise _refused(said_of(error, "the file")) from None
    _refuse(problems_of_file(file))
    return tuple(playbook.spec() for playbook in file.playbooks)


def draft_in(value: JsonValue) -> PlaybookDraft:
    """Return one playbook from its representation in playbook files. Raises InvalidPlaybook."""
    _refuse(filter(None, [oversized(value)]))
    try:
        shape = DraftShape.model_validate(value)
    except ValidationError as error:
        raise _refused(said_of(error, "the playbook")) from None
    _refuse(problems_of(shape))
    note = (shape.note or "").strip() or None
    says_active = "active" in shape.model_fields_set
    return PlaybookDraft(
        shape.spec(), says_active, note, shape.expected_version, override=shape.override
    )


def write_playbooks(specs: Sequence[PlaybookSpec]) -> str:
    """Return a YAML file that contains these playbooks. `parse_playbooks` returns the same
    playbooks from the file."""
    return write_list({"version": 1}, "playbooks", map(written, specs))


def diff(before: PlaybookSpec, after: PlaybookSpec, budget: DiffBudget | None = None) -> str:
    """Return the difference between two playbooks in the format of `diff -u`, or "" if they are
    equal.

    The active state is not part of a version, and is omitted. Beyond the page's `budget`, both
    playbooks are returned in full.
    """
    old, new = (_lines(spec) for spec in (before, after))
    return "" if old == new else "".join(unified(old, new, budget))


def _lines(spec: PlaybookSpec) -> list[str]:
    return write_yaml(
        {name: value for name, value in written(spec).items() if name != "active"}
    ).splitlines(keepends=True)


def _refuse(problems: Iterable[str]) -> None:
    if found := list(problems):
        raise _refused(found)


def _refused(lines: list[str]) -> InvalidPlaybook:
    more = [f"and {len(lines) - _MAX_SHOWN} more"] if len(lines) > _MAX_SHOWN else []
    return InvalidPlaybook([*lines[:_MAX_SHOWN], *more])


def written(spec: PlaybookSpec) -> dict[str, JsonValue]:
    """Return a playbook in the representation of playbook files."""
    written: dict[str, JsonValue] = {
        "name": spec.name,
        "event_type": spec.event_type,
        "threshold": spec.threshold,
        "active": spec.active,
    }
    if spec.rulebook.shadow:
        written["mode"] = PlaybookMode.SHADOW.value
    if spec.rulebook.instructions:
        written["instructions"] = spec.rulebook.instructions
    if procedure := spec.rulebook.procedure.model_dump(mode="json", exclude_defaults=True):
        written["procedure"] = procedure
    if spec.rulebook.actions:
        actions = spec.rulebook.actions.items()
        written["actions"] = {kind.value: _written_rule(rule) for kind, rule in actions}
    during = spec.rulebook.during_review.model_dump()
    if during != DuringReviewShape().model_dump():
        written["during_review"] = during
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
    if rule.merchant_requests:
        written["merchant_requests"] = True
    return written


def _written_limits(limits: MoneyLimits) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {"currency": limits.currency}
    for name in AMOUNTS:
        minor: int | None = getattr(limits, name)
        if minor is not None:
            written[name] = Money(minor=minor, currency=limits.currency).decimal()
    return written
