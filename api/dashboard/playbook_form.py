"""Convert a playbook to and from its form, as fields or as YAML, and find the problems in the
form."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from api.dashboard.page import Page
from api.dashboard.typed import Typed
from api.documents import read_yaml_document, yaml_places_of
from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.core.document import DocumentKind
from domain.core.document_size import MAX_ITEMS
from domain.core.errors import CallerBusy, DocumentTooCostly, EngineUnavailable
from domain.core.strict_yaml import write_yaml
from domain.core.yaml_places import YamlPlace
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.file import MAX_FILE_BYTES, PlaybookDraft, draft_in, written
from domain.playbooks.playbook import PlaybookSpec
from domain.playbooks.shape import AMOUNTS, DuringReviewShape

PLAYBOOKS: Final = "/app/playbooks"
SHAPE: Final = "shape"
"""Name of the form field that states whether the playbook was entered as fields or as YAML:
`AS_FIELDS` or `AS_YAML`."""
AS_FIELDS: Final = "fields"
AS_YAML: Final = "yaml"

_ALONE: Final = ("name", "event_type", "threshold", "mode", "instructions")
_SAID: Final = ("note", "override")
_NUMBER: Final = re.compile(r"[0-9]{1,3}([.,][0-9]{1,6})?")
_MOST_WORDS: Final = 2 * MAX_ITEMS
_WHOLE: Final = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class PlacedProblem:
    """A problem in a playbook. `path` is the invalid field, or empty if the text contains it.
    `line` and `column` are None unless the playbook is YAML."""

    path: str
    said: str
    line: int | None = None
    column: int | None = None


def form_of(playbook_id: str) -> str:
    """Return the submission path of a playbook's form. `playbook_id`: `new` for a new playbook."""
    return PLAYBOOKS if playbook_id == "new" else f"{PLAYBOOKS}/{playbook_id}/edit"


async def drafted_yaml(page: Page, playbook_id: str) -> str | None:
    """Return a playbook's unpublished draft as YAML, or None if there is no draft. `playbook_id`:
    `new` for a new playbook."""
    typed = await page.typed(form_of(playbook_id), {})
    return None if typed.draft is None else yaml_of(typed.fields)


def fields_of(spec: PlaybookSpec) -> dict[str, str]:
    """Return the form fields of a playbook."""
    fields = {
        "name": spec.name,
        "event_type": spec.event_type,
        "threshold": f"{spec.threshold:g}",
        "mode": "shadow" if spec.rulebook.shadow else "live",
        "instructions": spec.rulebook.instructions,
        "procedure.when": spec.rulebook.procedure.when,
        "procedure.steps": "\n".join(spec.rulebook.procedure.steps),
        "procedure.hand_over": spec.rulebook.procedure.hand_over,
        "during_review.answers": str(spec.rulebook.during_review.answers).lower(),
        "during_review.actions": str(spec.rulebook.during_review.actions).lower(),
    }
    for kind, rule in spec.rulebook.actions.items():
        at = f"actions.{kind.value}"
        fields[f"{at}.level"] = rule.level.value
        fields |= {f"{at}.categories:{one.value}": "on" for one in rule.categories}
        fields[f"{at}.intents"] = ", ".join(one.value for one in rule.intents)
        fields[f"{at}.tags"] = ", ".join(rule.tags)
        fields |= {f"{at}.merchant_requests": "on"} if rule.merchant_requests else {}
        fields[f"{at}.within_days"] = "" if rule.within_days is None else str(rule.within_days)
    for named, limits in _limits_in(spec).items():
        fields |= {f"actions.{named}.limits.{name}": value for name, value in limits.items()}
    return fields


async def draft_of(page: Page, fields: Mapping[str, str]) -> PlaybookDraft:
    """Return the playbook that the form's fields describe. Raises InvalidPlaybook,
    DocumentTooCostly, CallerBusy, EngineUnavailable."""
    value = await _value_of(page, fields)
    if isinstance(value, dict):
        value |= {name: text for name in _SAID if (text := _text(fields, name).strip())}
    return draft_in(value)


async def problems_in(page: Page, fields: Mapping[str, str]) -> tuple[PlacedProblem, ...]:
    """Return all problems in the form, or an empty tuple if the playbook can be published."""
    try:
        await draft_of(page, fields)
    except InvalidPlaybook as error:
        text = _text(fields, AS_YAML) if fields.get(SHAPE) == AS_YAML else None
        return await placed(page, error, text)
    except (DocumentTooCostly, CallerBusy, EngineUnavailable) as error:
        return (PlacedProblem("", str(error) or error.code),)
    return ()


async def placed(page: Page, error: InvalidPlaybook, text: str | None) -> tuple[PlacedProblem, ...]:
    """Return the problems in a playbook or playbook file, each with its position. `text` is the
    YAML source, or None if there is none."""
    parts = [_path_and_problem(problem) for problem in error.problems]
    places: Mapping[str, YamlPlace] = {}
    if text is not None and len(text) <= MAX_FILE_BYTES:
        paths = [path for path, _ in parts if path]
        with suppress(DocumentTooCostly, CallerBusy, EngineUnavailable):
            places = await yaml_places_of(page.resources, page.tenant, text, paths)
    return tuple(
        PlacedProblem(path, problem, place.line, place.column)
        if (place := places.get(path))
        else PlacedProblem(path, problem)
        for path, problem in parts
    )


def _path_and_problem(problem: str) -> tuple[str, str]:
    """Return the path and the text of a problem. The path is empty if the problem does not state
    one."""
    path, colon, said = problem.partition(": ")
    return (path, said) if colon and " " not in path else ("", problem)


def yaml_of(fields: Mapping[str, str]) -> str:
    """Return the form's content as YAML. Invalid values are included."""
    if fields.get(SHAPE) == AS_YAML:
        return _text(fields, AS_YAML)
    return write_yaml(_document_of(fields))


def yaml_of_spec(spec: PlaybookSpec) -> str:
    """Return a playbook as YAML without `active`, because `active` is not part of a version."""
    return write_yaml({name: value for name, value in written(spec).items() if name != "active"})


def ticked(typed: Typed, kind: ActionKind) -> frozenset[Category]:
    """Return the categories that are checked for a kind of action."""
    return frozenset(one for one in Category if typed[f"actions.{kind}.categories:{one}"])


async def _value_of(page: Page, fields: Mapping[str, str]) -> JsonValue:
    if fields.get(SHAPE) == AS_YAML:
        text = _text(fields, AS_YAML).encode()
        kind = DocumentKind.PLAYBOOK
        return await read_yaml_document(page.resources, page.tenant, kind, text)
    return _document_of(fields)


def _document_of(fields: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the form's fields as a document, without validation. The rules for playbook files
    validate the document later."""
    document: dict[str, JsonValue] = {}
    for name in _ALONE:
        if text := _text(fields, name):
            document[name] = text
    if _NUMBER.fullmatch(given := _text(fields, "threshold").strip()):
        document["threshold"] = float(given.replace(",", "."))
    if document.get("mode") == "live":
        del document["mode"]
    if procedure := _procedure(fields):
        document["procedure"] = procedure
    if active := _text(fields, "active"):
        document["active"] = active == "true"
    rules: dict[str, JsonValue] = {
        kind.value: rule for kind in ActionKind if (rule := rule_in(fields, kind))
    }
    if rules:
        document["actions"] = rules
    if during := _during_review(fields):
        document["during_review"] = during
    return document


def _procedure(fields: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the form's procedure, with one step for each line. At most `_MOST_WORDS` lines are
    read. Any list that long is rejected later."""
    given: dict[str, JsonValue] = {
        name: text
        for name in ("when", "hand_over")
        if (text := _text(fields, f"procedure.{name}").strip())
    }
    lines = _text(fields, "procedure.steps").split("\n", _MOST_WORDS)[:_MOST_WORDS]
    steps: list[JsonValue] = [step for line in lines if (step := line.strip())]
    return given | ({"steps": steps} if steps else {})


def _during_review(fields: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the playbook's settings for messages that arrive during a review. As in a playbook
    file, values equal to the defaults are omitted."""
    given = {name: _text(fields, f"during_review.{name}") for name in ("answers", "actions")}
    chosen: dict[str, JsonValue] = {
        name: {"true": True, "false": False}.get(text, text) for name, text in given.items() if text
    }
    return {} if chosen == DuringReviewShape().model_dump() else chosen


def rule_in(fields: Mapping[str, str], kind: ActionKind) -> dict[str, JsonValue]:
    """Return the form's rule for a kind of action, in the format of playbook files. Return an empty
    rule if the fields are empty."""
    at = f"actions.{kind.value}"
    rule: dict[str, JsonValue] = {}
    if level := _text(fields, f"{at}.level"):
        rule["level"] = level
    categories = [one.value for one in Category if fields.get(f"{at}.categories:{one.value}")]
    listed: dict[str, list[str]] = {"categories": categories}
    listed |= {name: _words(_text(fields, f"{at}.{name}")) for name in ("intents", "tags")}
    rule |= {name: [*words] for name, words in listed.items() if words}
    if days := _text(fields, f"{at}.within_days").strip():
        rule["within_days"] = int(days) if _WHOLE.fullmatch(days) else days
    if fields.get(f"{at}.merchant_requests"):
        rule["merchant_requests"] = True
    amounts = {name: _text(fields, f"{at}.limits.{name}").strip() for name in AMOUNTS}
    limits: dict[str, JsonValue] = {
        name: amount.replace(",", ".") for name, amount in amounts.items() if amount
    }
    if currency := _text(fields, f"{at}.limits.currency").strip().upper():
        limits = {"currency": currency, **limits}
    return rule | ({"limits": limits} if limits else {})


def _limits_in(spec: PlaybookSpec) -> dict[str, dict[str, str]]:
    actions = written(spec).get("actions")
    found: dict[str, dict[str, str]] = {}
    for kind, rule in (actions if isinstance(actions, dict) else {}).items():
        limits = rule.get("limits") if isinstance(rule, dict) else None
        if isinstance(limits, dict):
            found[kind] = {name: str(value) for name, value in limits.items()}
    return found


def _words(text: str) -> list[str]:
    """Return the words in a field, separated by commas or line breaks, up to `_MOST_WORDS`. A list
    that long is rejected later."""
    parts = re.split(r"[,\n]", text, maxsplit=_MOST_WORDS)[:_MOST_WORDS]
    return [word for part in parts if (word := part.strip())]


def _text(fields: Mapping[str, str], name: str) -> str:
    return fields.get(name, "").replace("\r\n", "\n")
