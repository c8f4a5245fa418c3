"""YAML as people write settings: words, numbers, lists and mappings, each key once, no aliases.

An alias can make megabytes of a few lines, and a key that comes twice silently loses one value.
"""

from collections.abc import Hashable
from typing import Any, Final, cast

import yaml
from pydantic import JsonValue, TypeAdapter
from yaml.composer import Composer
from yaml.error import Mark
from yaml.events import NodeEvent
from yaml.nodes import MappingNode, Node

from domain.core.errors import InvalidInput

_MAX_DEPTH: Final = 20
_JSON: Final[TypeAdapter[JsonValue]] = TypeAdapter(JsonValue)


def read_yaml(text: str) -> JsonValue:
    """What one document of YAML holds. Raises InvalidInput, which names the place and no value.

    Dates stay text, as it is written.
    """
    try:
        return _JSON.validate_python(yaml.load(text, Loader=_Loader))  # noqa: S506 - a safe one
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise InvalidInput(f"not valid YAML: {place}{_first_line(error.problem)}") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"not valid YAML: {_first_line(str(error))}") from None
    except (ValueError, OverflowError, LookupError):
        raise InvalidInput("not valid YAML: a value is not what its tag says") from None


def compose_yaml(text: str) -> Node | None:
    """What the document is written as, with the place of each part. Raises yaml.YAMLError for a
    text that `read_yaml` refuses before it builds anything."""
    return _Loader(text).get_single_node()


def write_yaml(value: JsonValue) -> str:
    """The document, in the order of its keys; `read_yaml` gives the same value back."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def _first_line(problem: str | None) -> str:
    return (problem or "it cannot be read").splitlines()[0]


class _Loader(Composer, yaml.CSafeLoader):
    """Knows the types of JSON and no other. libyaml finds the words, and this builds of them."""

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)

    _depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event = cast("NodeEvent", self.peek_event())
        mark = cast("Mark", event.start_mark)
        if event.anchor is not None:
            raise yaml.MarkedYAMLError(
                problem="anchors and aliases are not allowed", problem_mark=mark
            )
        if self._depth >= _MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=mark)
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
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
_CONSTRUCTORS: Final = yaml.SafeLoader.yaml_constructors
_Loader.yaml_constructors = {
    **{
        _TAG + name: _CONSTRUCTORS[_TAG + name]
        for name in ["null", "bool", "int", "float", "str", "seq", "map"]
    },
    f"{_TAG}timestamp": _CONSTRUCTORS[_TEXT],
    None: _CONSTRUCTORS[None],
}


class _Dumper(yaml.SafeDumper):
    pass


def _represent_text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    """Several lines as they are, where YAML can; else quoted."""
    return dumper.represent_scalar(_TEXT, value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _represent_text)
