"""Documents that a client's people bring along: files, and what a form takes in place of one.

A small one is read at once. A larger one is read in a process that can be ended
(docs/decisions/0075), one of each client at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from pydantic import JsonValue

LARGE_DOCUMENT: Final = 2 * 1024
"""Characters from which on a document is large. The costliest smaller one takes 5 ms."""


class DocumentKind(StrEnum):
    """`places`: where the parts of a YAML text stand."""

    PLAYBOOK = "playbook"
    PLAYBOOK_FILE = "playbook_file"
    CASE = "case"
    NEW_CASE = "new_case"
    CASE_FILE = "case_file"
    PLACES = "places"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Document:
    """`is_json`: JSON that has been read already; else the text is what its kind is written in.
    `options`: what the kind needs besides."""

    kind: DocumentKind
    text: str
    is_json: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        return len(self.text) > LARGE_DOCUMENT


class DocumentReader(Protocol):
    async def read(self, document: Document) -> JsonValue:
        """Return the value, by the rules of its kind.

        Raises DocumentRefused, DocumentTooCostly, EngineUnavailable.
        """
