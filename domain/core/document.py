"""Documents that a client's users provide: files, and form input that replaces a file.

A small document is read at once. A larger one is read in a process that can be terminated
(docs/decisions/0075), one per client at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from pydantic import JsonValue

LARGE_DOCUMENT: Final = 2 * 1024
"""Documents with more characters are large. The costliest smaller one takes 5 ms."""


class DocumentKind(StrEnum):
    """`places`: the positions of the parts of a YAML text."""

    PLAYBOOK = "playbook"
    PLAYBOOK_FILE = "playbook_file"
    CASE = "case"
    NEW_CASE = "new_case"
    CASE_FILE = "case_file"
    PLACES = "places"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Document:
    """`is_json`: whether the text is JSON, parsed before; else it has its kind's own format.
    `options`: further inputs of the kind."""

    kind: DocumentKind
    text: str
    is_json: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        return len(self.text) > LARGE_DOCUMENT


class DocumentReader(Protocol):
    async def read(self, document: Document) -> JsonValue:
        """Return the value, read by the rules of its kind.

        Raises DocumentRefused, DocumentTooCostly, EngineUnavailable.
        """
