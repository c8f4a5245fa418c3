"""Parse a document. The API and its child processes share this code."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from pydantic import JsonValue, TypeAdapter

from domain.cases.case_documents import case_in, case_yaml_in, cases_in, new_case_in
from domain.cases.errors import InvalidCases
from domain.content.knowledge_file import KnowledgeFile, KnowledgeRead, read_file
from domain.core.document import Document, DocumentKind
from domain.core.errors import DocumentRefused, InvalidInput
from domain.core.yaml_places import place_of, yaml_places
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.file import draft_in, playbooks_in, yaml_in

_Yaml = Callable[[bytes], JsonValue]
_Check = Callable[[JsonValue], object]

_SHAPED: Final[Mapping[DocumentKind, tuple[_Yaml, _Check]]] = {
    DocumentKind.PLAYBOOK: (yaml_in, draft_in),
    DocumentKind.PLAYBOOK_FILE: (yaml_in, playbooks_in),
    DocumentKind.CASE: (case_yaml_in, case_in),
    DocumentKind.NEW_CASE: (case_yaml_in, new_case_in),
    DocumentKind.CASE_FILE: (case_yaml_in, cases_in),
}

_FILE: Final = TypeAdapter(KnowledgeFile)
_READ: Final = TypeAdapter(KnowledgeRead)


def read_inline(document: Document) -> JsonValue:
    """Parse a document and return its value. Raises DocumentRefused."""
    try:
        return _value_of(document)
    except (InvalidPlaybook, InvalidCases) as error:
        raise DocumentRefused(error.problems) from None
    except InvalidInput as error:
        raise DocumentRefused([str(error)]) from None


def _value_of(document: Document) -> JsonValue:
    match document.kind:
        case DocumentKind.PLACES:
            return _places(document)
        case DocumentKind.KNOWLEDGE:
            return _knowledge(document)
        case kind:
            read, check = _SHAPED[kind]
            value: JsonValue = (
                json.loads(document.text) if document.is_json else read(document.text.encode())
            )
            check(value)
            return value


def _places(document: Document) -> JsonValue:
    """Return the line and column of each path that the document's options list. Paths that do not
    occur in the text are omitted."""
    places = yaml_places(document.text)
    found = {path: place_of(path, places) for path in document.options}
    return {path: [place.line, place.column] for path, place in found.items() if place}


def _knowledge(document: Document) -> JsonValue:
    options = {**document.options, "text": document.text}
    read = read_file(_FILE.validate_python(options))
    value: JsonValue = _READ.dump_python(read, mode="json")
    return value
