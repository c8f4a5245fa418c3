"""Where the parts of a YAML document stand in its text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

_MAX_PLACES: Final = 20_000


@dataclass(frozen=True, slots=True)
class YamlPlace:
    """Both count from 1, as editors do."""

    line: int
    column: int


def yaml_places(text: str) -> Mapping[str, YamlPlace]:
    """By path, as in `playbooks[0].threshold`. Of a text that `read_yaml` takes, or none: what
    cannot be read has no places."""
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return {}
    return {} if root is None else dict(islice(_walk("", root, root), _MAX_PLACES))


def place_of(path: str, places: Mapping[str, YamlPlace]) -> YamlPlace | None:
    """Where a path stands; of one that is missing, the innermost part around it."""
    while path:
        if path in places:
            return places[path]
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return places.get("")


def _walk(path: str, named_by: Node, node: Node) -> Iterator[tuple[str, YamlPlace]]:
    """A value stands where its key does."""
    mark = named_by.start_mark
    yield path, YamlPlace(mark.line + 1, mark.column + 1)
    if isinstance(node, MappingNode):
        for key, value in node.value:
            inner = f"{path}.{key.value}" if path else str(key.value)
            yield from _walk(inner, key, value)
    elif isinstance(node, SequenceNode):
        for number, value in enumerate(node.value):
            yield from _walk(f"{path}[{number}]", value, value)
