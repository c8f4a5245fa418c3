"""The positions of the parts of a YAML document in its text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

from domain.core.strict_yaml import compose_yaml

_MAX_PLACES: Final = 20_000
# Maximum length of a path. A key may be as long as the whole text, and the path of each part below
# it would repeat the key.
_MAX_PATH: Final = 300


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """A position in a text. Line and column count from 1, as in editors."""

    line: int
    column: int


def yaml_places(text: str) -> Mapping[str, YamlPlace]:
    """Return the positions by path, as in `playbooks[0].threshold`.

    An invalid document has no positions, and neither has a part below an overlong path.
    """
    try:
        root = compose_yaml(text)
    except yaml.YAMLError:
        return {}
    return {} if root is None else dict(islice(_walk("", root, root), _MAX_PLACES))


def place_of(path: str, places: Mapping[str, YamlPlace]) -> YamlPlace | None:
    """Return the position of a path; if the path is missing, that of the innermost existing part
    around it."""
    while path:
        if path in places:
            return places[path]
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return places.get("")


def _walk(path: str, named_by: Node, node: Node) -> Iterator[tuple[str, YamlPlace]]:
    """Yield the positions of a node and its parts. A value has the position of its key."""
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
