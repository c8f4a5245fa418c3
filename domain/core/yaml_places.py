"""Find the line and column of each part of a YAML document."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from domain.core.strict_yaml import compose_yaml

_MAX_PLACES: Final = 20_000
# Maximum length of a path, in characters. A key may be as long as the whole text, and the path of
# each part below that key would repeat it.
_MAX_PATH: Final = 300


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """A position in a text. Line and column numbers are one-based, as in editors."""

    line: int
    column: int


def yaml_places(text: str) -> Mapping[str, YamlPlace]:
    """Return the position of each part of the document, keyed by path, such as
    `playbooks[0].threshold`.

    The result is empty for an invalid document. Omits parts with a path longer than `_MAX_PATH`,
    and all parts below them.
    """
    try:
        root = compose_yaml(text)
    except yaml.YAMLError:
        return {}
    return {} if root is None else dict(islice(_walk("", root, root), _MAX_PLACES))


def place_of(path: str, places: Mapping[str, YamlPlace]) -> YamlPlace | None:
    """Return the position of the part with the given path. If there is none, return the position of
    the innermost existing part that would contain it, or None if `places` is empty."""
    while path:
        if path in places:
            return places[path]
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return places.get("")


def _walk(path: str, named_by: Node, node: Node) -> Iterator[tuple[str, YamlPlace]]:
    """Yield the path and position of a node and all its parts. A value's position is its key's
    position."""
    if len(path) > _MAX_PATH:
        return
    mark = named_by.start_mark
    yield path, YamlPlace(mark.line + 1, mark.column + 1)
    if isinstance(node, MappingNode):
        for key, value in node.value:
            inner = f"{path}.{key.value}" if path else str(key.value)
            yield from _walk(inner, key, value)
    elif isinstance(node, SequenceNode):
        for number, value in enumerate(node.value):
            yield from _walk(f"{path}[{number}]", value, value)
