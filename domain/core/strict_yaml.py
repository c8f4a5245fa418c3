"""YAML restricted to the types of JSON.

Duplicate keys are rejected because YAML would silently drop a value. Aliases are rejected because
they can expand a few lines to megabytes. Timestamps and YAML 1.1 numbers that JSON lacks (base 60,
octal, `1_000`, `.inf`) remain text.
"""

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final, cast

import yaml
from pydantic import JsonValue, TypeAdapter
from yaml.composer import Composer
from yaml.error import Mark
from yaml.events import NodeEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from domain.core.errors import InvalidInput

_MAX_DEPTH: Final = 20
_END: Final = "...\n"
MAX_NODES: Final = 50_000
"""Maximum number of keys, values, lists and mappings in one document."""
MAX_DIGITS: Final = 18
"""Maximum number of digits in an integer, so that it fits in 64 bits. A longer integer remains
text."""
_MAX_NUMBER: Final = 40
_JSON: Final[TypeAdapter[JsonValue]] = TypeAdapter(JsonValue)


def read_yaml(text: str) -> JsonValue:
    """Parse a YAML document and return its value. Raises InvalidInput, which gives the position of
    the error and does not quote a value."""
    try:
        return _JSON.validate_python(yaml.load(text, Loader=_Loader))  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise InvalidInput(f"not valid YAML: {place}{_first_line(error.problem)}") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"not valid YAML: {_first_line(str(error))}") from None
    except (ValueError, OverflowError, LookupError):
        raise InvalidInput("not valid YAML: a value is not what its tag says") from None


def compose_yaml(text: str) -> Node | None:
    """Parse a YAML document into PyYAML's node tree, which contains positions. Return None for an
    empty document.

    Raises yaml.YAMLError for a syntax error, an anchor, an alias, or a document that is too deep or
    too large.
    """
    return _Loader(text).get_single_node()


def write_yaml(value: JsonValue) -> str:
    """Return the value as a YAML document, with the keys in their given order. `read_yaml` restores
    the same value."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def write_list(head: Mapping[str, JsonValue], name: str, items: Iterable[JsonValue]) -> str:
    """Return a YAML document with the values of `head`, followed by the items as a list under the
    key `name`.

    The items are written one at a time, so that other threads can run while a long list is written.
    """
    parts = [_without_end(write_yaml([item])) for item in items]
    if not parts:
        return write_yaml({**head, name: []})
    return "".join((write_yaml(dict(head)), f"{name}:\n", *parts))


def _without_end(document: str) -> str:
    """Return the document without the end marker `...` that follows trailing empty lines."""
    return document[: -len(_END)] if document.endswith(f"\n{_END}") else document


def _first_line(problem: str | None) -> str:
    return (problem or "it cannot be read").splitlines()[0]


class _Loader(Composer, yaml.CSafeLoader):
    """A PyYAML loader that builds only values of JSON's types, from libyaml events."""

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)

    _depth = 0
    _nodes = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event = cast("NodeEvent", self.peek_event())
        mark = cast("Mark", event.start_mark)
        if event.anchor is not None:
            raise yaml.MarkedYAMLError(
                problem="anchors and aliases are not allowed", problem_mark=mark
            )
        if self._depth >= _MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=mark)
        self._nodes += 1
        if self._nodes > MAX_NODES:
            problem = f"more than {MAX_NODES} keys and values"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
        """Return the tag of a node that has no explicit tag. This replaces PyYAML's own rules,
        which follow YAML 1.1."""
        if kind is ScalarNode and implicit[0]:
            return _plain_tag(value)
        return _TAG_OF[kind]

    def construct_mapping(self, node: Node, deep: bool = False) -> dict[Hashable, Any]:
        if not isinstance(
            node, MappingNode
        ):  # A node with an explicit `!!map` tag may be a scalar or a list.
            raise yaml.MarkedYAMLError(
                problem="keys and values expected", problem_mark=node.start_mark
            )
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = key_node.value if key_node.tag == _TEXT else None
            if not isinstance(key, str) or key in seen:
                problem = "a key comes twice" if key in seen else "a key that is no word"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


_TAG: Final = "tag:yaml.org,2002:"
_TEXT: Final = f"{_TAG}str"
_TAG_OF: Final[dict[type[Node], str]] = {
    ScalarNode: _TEXT,
    SequenceNode: f"{_TAG}seq",
    MappingNode: f"{_TAG}map",
}
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
# YAML 1.1's words for booleans, each accepted in three spellings, so that `active: yes` in existing
# files still means true.
_WORDS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_BOOLEANS: Final = {
    written: value
    for word, value in _WORDS.items()
    for written in (word, word.capitalize(), word.upper())
}
_INTEGER: Final = re.compile(rf"[-+]?(0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})")
_FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+))"
)


def _plain_tag(value: str) -> str:
    """Return the tag of an unquoted scalar. The length is checked first because matching a pattern
    against a long value would be slow."""
    if value in _NULLS:
        return f"{_TAG}null"
    if value in _BOOLEANS:
        return f"{_TAG}bool"
    if len(value) <= _MAX_NUMBER:
        if _INTEGER.fullmatch(value):
            return f"{_TAG}int"
        if _FLOAT.fullmatch(value) and math.isfinite(float(value)):
            return f"{_TAG}float"
    return _TEXT


def _construct_bool(loader: _Loader, node: ScalarNode) -> bool:
    return _BOOLEANS[loader.construct_scalar(node)]


def _construct_number(loader: _Loader, node: ScalarNode) -> int | float:
    """Return the number in a scalar. Raises ValueError if the scalar's explicit tag specifies
    another type of number."""
    value = str(loader.construct_scalar(node))
    match _plain_tag(value).removeprefix(_TAG), node.tag.removeprefix(_TAG):
        case "int", "int":
            return int(value)
        case "int" | "float", "float":
            return float(value)
        case _:
            raise ValueError


_CONSTRUCTORS: Final = yaml.SafeLoader.yaml_constructors
_Loader.yaml_constructors = {
    **{_TAG + name: _CONSTRUCTORS[_TAG + name] for name in ["null", "str", "seq", "map"]},
    f"{_TAG}bool": _construct_bool,
    f"{_TAG}int": _construct_number,
    f"{_TAG}float": _construct_number,
    None: _CONSTRUCTORS[None],
}


class _Dumper(yaml.CSafeDumper):
    """A PyYAML dumper that quotes any text that YAML 1.1 or `_Loader` would parse as another
    type."""


_Dumper.add_implicit_resolver(f"{_TAG}float", _FLOAT, list("-+.0123456789"))


def _represent_text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    """Represent multi-line text as a literal block if YAML permits it. Otherwise, PyYAML quotes the
    text."""
    return dumper.represent_scalar(_TEXT, value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _represent_text)
