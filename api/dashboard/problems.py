"""The problems of a rejected form in the user's words.

A rule's violation is stated for callers of the API, as in `branding.logo_url: an https URL
expected`. Pages name the field by its label and say what to enter.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_PLACED: Final = re.compile(
    r"(?P<path>[a-z_]+(?:\[\d+\])?(?:\.[a-z_0-9]+(?:\[\d+\])?)*) ?: (?P<rule>.+)"
)
# A request body without a rule names only its field.
_NAMED: Final = re.compile(r"field “(?P<path>[^“”]+)”")
_NUMBER: Final = re.compile(r"\d+")
_NO_RULE: Final = "invalid"
_RULES: Final[Mapping[str, str]] = {
    "https:// expected": "secure",
    "an https URL expected": "secure",
    "as in ##a#b#c": "colour",
    "no spaces, backslashes or control characters": "no_spaces",
    "no user name and password": "no_login",
    "no fragment": "no_fragment",
    "a host is missing": "whole_address",
    "not a host name": "whole_address",
    "not the address of a page": "whole_address",
    "port #, or one above #": "port",
    "the address is not public": "not_public",
    "the name is of a private network": "not_public",
    "at most # characters": "at_most",
    "# to # characters": "between",
    "# to # characters expected": "between",
    "at least # characters": "at_least",
    "# to # printable characters expected": "between",
    "no. #: https://host or https://host:port expected": "site_in_line",
    "one address expected, like contact@shop.example": "one_email",
    "this address is the service's own": "our_address",
    "it is missing": "missing",
    "at least one": "at_least_one",
    "an IANA time zone expected, as in Europe/Paris": "time_zone",
    'a decimal number in quotes expected, as in "#.#"': "amount",
    "three capital letters expected, as in EUR": "currency",
    "the text must say that an AI assistant answers, without a negation": "names_assistant",
    "each interval opens before it closes, and none overlap": "intervals",
}
"""The keys of the rules' texts. A number in a rule is replaced by `#`."""


@dataclass(frozen=True, slots=True)
class FormProblem:
    """A violated rule. `path` is the field's path, `label` its label on the page, and `text` what
    to change."""

    path: str
    label: str
    text: str

    def is_at(self, name: str) -> bool:
        """Return True if the form field `name` causes the problem."""
        field = name.partition(":")[0]
        return self.path == field or ("." not in field and self.path.rpartition(".")[2] == field)


def form_problems(
    words: Mapping[str, object], reason: Mapping[str, str], language: str
) -> tuple[FormProblem, ...]:
    """Return the problems in a rejected form. `reason` states them by language, one on each line.
    The result is empty if a line names no field that has a label."""
    english, own = reason.get("en", "").splitlines(), reason.get(language, "").splitlines()
    if len(own) != len(english):
        own = english
    found = tuple(_problem(words, one, other) for one, other in zip(english, own, strict=True))
    problems = tuple(one for one in found if one is not None)
    return problems if len(problems) == len(found) else ()


def field_label(words: Mapping[str, object], path: str) -> str:
    """Return the label of the field at a path, such as `actions.refund.limits.per_action`. The
    label is empty if the catalogue has none."""
    return " · ".join(_labels(words, path))


def said_rule(words: Mapping[str, object], rule: str) -> str:
    """Return what to enter instead, or an empty string for a rule without a text. `rule` is an
    English text. Its numbers fill the placeholders of the catalogue's text."""
    key = rule if rule == _NO_RULE else _RULES.get(_NUMBER.sub("#", rule), "")
    text = _table(words, "problems", "rules").get(key)
    return str(text).format(*_NUMBER.findall(rule)) if text is not None else ""


def _problem(words: Mapping[str, object], english: str, own: str) -> FormProblem | None:
    if named := _NAMED.fullmatch(english):
        path, rule, said = named["path"], _NO_RULE, ""
    elif placed := _PLACED.fullmatch(english):
        own_rule = _PLACED.fullmatch(own)
        path, rule, said = placed["path"], placed["rule"], own_rule["rule"] if own_rule else own
    else:
        return None
    label, text = field_label(words, path), said_rule(words, rule) or said
    return FormProblem(path, label, text) if label and text else None


def _labels(words: Mapping[str, object], path: str) -> Iterator[str]:
    parts = path.split(".")
    fields = _table(words, "problems", "fields")
    if parts[0] == "actions" and len(parts) > 1:
        yield str(_table(words, "terms", "actions").get(parts[1], parts[1]))
    named = next((one for one in reversed(parts) if one.partition("[")[0] in fields), None)
    if named is not None:
        yield str(fields[named.partition("[")[0]])


def _table(words: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    found: object = words
    for key in keys:
        found = found.get(key, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}
