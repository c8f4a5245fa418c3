"""Documents from a client's members: files, and form input that replaces a file.

Large documents are parsed in a separate process that can be terminated (docs/decisions/0075), one
at a time per client.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from pydantic import JsonValue

LARGE_DOCUMENT: Final = 2 * 1024
"""Length above which a document is large, in characters. The most expensive document below the
limit takes 5 ms to parse."""


class DocumentKind(StrEnum):
    """The kind of a document. `places`: a YAML document that is parsed only to find the line and
    column of each part."""

    PLAYBOOK = "playbook"
    PLAYBOOK_FILE = "playbook_file"
    CASE = "case"
    NEW_CASE = "new_case"
    CASE_FILE = "case_file"
    PLACES = "places"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Document:
    """A document to parse. `is_json` means that `text` was serialized from parsed input. `options`
    are parameters for this kind of document."""

    kind: DocumentKind
    text: str
    is_json: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        return len(self.text) > LARGE_DOCUMENT


class DocumentReader(Protocol):
    async def read(self, document: Document) -> JsonValue:
        """Return the parsed value, validated by the rules of the document's kind.

        Raises DocumentRefused, DocumentTooCostly, EngineUnavailable.
        """
