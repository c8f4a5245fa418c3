"""Documents that a client's users provide: files, and form input that replaces a file.

A small document is parsed in this process. A larger one is parsed in a process that can be
terminated (docs/decisions/0075), one per client at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from pydantic import JsonValue

LARGE_DOCUMENT: Final = 2 * 1024
"""Documents with more characters than this are large. The costliest smaller document takes 5 ms."""


class DocumentKind(StrEnum):
    """The kind of a document. `places`: a YAML text of which only the positions of the parts are
    needed."""

    PLAYBOOK = "playbook"
    PLAYBOOK_FILE = "playbook_file"
    CASE = "case"
    NEW_CASE = "new_case"
    CASE_FILE = "case_file"
    PLACES = "places"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Document:
    """A document to parse. `is_json`: whether the text is JSON, serialized from input that was
    already parsed; otherwise it is in the format of its kind. `options`: further inputs for the
    kind."""

    kind: DocumentKind
    text: str
    is_json: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        return len(self.text) > LARGE_DOCUMENT


class DocumentReader(Protocol):
    async def read(self, document: Document) -> JsonValue:
        """Return the parsed value, checked by the rules of the document's kind.

        Raises DocumentRefused, DocumentTooCostly, EngineUnavailable.
        """
