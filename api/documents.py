"""Parse uploaded documents, with a limit on the number of documents parsed concurrently per
client."""

from collections.abc import Iterable, Mapping
from typing import Final

import orjson
from pydantic import JsonValue, TypeAdapter

from api.resources import Resources
from domain.cases.errors import InvalidCases
from domain.content.knowledge_file import KnowledgeFile, KnowledgeRead
from domain.core.document import Document, DocumentKind
from domain.core.errors import DocumentRefused
from domain.core.ids import TenantId
from domain.core.yaml_places import YamlPlace
from domain.playbooks.errors import InvalidPlaybook

_OF_PLAYBOOKS: Final = frozenset({DocumentKind.PLAYBOOK, DocumentKind.PLAYBOOK_FILE})
_NAMED: Final[Mapping[DocumentKind, str]] = {
    **dict.fromkeys(DocumentKind, "a file of cases"),
    **dict.fromkeys(_OF_PLAYBOOKS, "a playbook file"),
}
_KNOWLEDGE: Final = TypeAdapter(KnowledgeRead)
_PLACES: Final = TypeAdapter(dict[str, tuple[int, int]])


async def read_yaml_document(
    resources: Resources, tenant: TenantId, kind: DocumentKind, body: bytes
) -> JsonValue:
    """Return the value of a YAML document that contains playbooks or cases, validated by the rules
    for its document type. Raises InvalidPlaybook or InvalidCases, DocumentTooCostly, CallerBusy,
    EngineUnavailable."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused(kind, [f"{_NAMED[kind]} is UTF-8 text"]) from None
    return await _read(resources, tenant, Document(kind, text))


async def check_json_document(
    resources: Resources, tenant: TenantId, kind: DocumentKind, value: JsonValue
) -> None:
    """Validate a JSON document that contains playbooks or cases. Raises the errors of
    `read_yaml_document`."""
    text = orjson.dumps(value).decode()
    await _read(resources, tenant, Document(kind, text, is_json=True))


async def read_knowledge(
    resources: Resources, tenant: TenantId, file: KnowledgeFile
) -> KnowledgeRead:
    """Return the entries in a knowledge file. Raises DocumentTooCostly, CallerBusy,
    EngineUnavailable."""
    options = {"form": file.form.value, "language": file.language}
    document = Document(DocumentKind.KNOWLEDGE, file.text, options=options)
    return _KNOWLEDGE.validate_python(await resources.documents.read(tenant, document))


async def yaml_places_of(
    resources: Resources, tenant: TenantId, text: str, paths: Iterable[str]
) -> Mapping[str, YamlPlace]:
    """Return the positions of the given paths in a YAML text, if present. Raises the errors of
    `read_yaml_document`."""
    document = Document(DocumentKind.PLACES, text, options=dict.fromkeys(paths, ""))
    found = _PLACES.validate_python(await resources.documents.read(tenant, document))
    return {path: YamlPlace(*place) for path, place in found.items()}


async def _read(resources: Resources, tenant: TenantId, document: Document) -> JsonValue:
    try:
        return await resources.documents.read(tenant, document)
    except DocumentRefused as error:
        raise _refused(document.kind, error.problems) from None


def _refused(kind: DocumentKind, problems: Iterable[str]) -> InvalidPlaybook | InvalidCases:
    error = InvalidPlaybook if kind in _OF_PLAYBOOKS else InvalidCases
    return error(tuple(problems))
