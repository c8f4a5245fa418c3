"""Request bodies that contain a playbook or a saved case, as JSON or YAML."""

from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, JsonValue

from api.documents import check_json_document, read_yaml_document
from api.http.json_body import YAML, media_type_of, parse_object, read_body
from api.openapi import in_one_piece
from api.resources import Resources
from api.route import BodyPart
from domain.core.document import DocumentKind

T = TypeVar("T")


class PlaybookBody(BodyPart[T]):
    """A dependency that returns a playbook or a saved case from the body.

    Parsing is limited per client, so the route must authenticate first. `shape` is the OpenAPI
    document's model. `read` converts the parsed value. Raises UnsupportedMediaType, BodyTooLarge,
    BodyTooSlow, InvalidBody, CallerBusy, DocumentTooCostly, InvalidPlaybook, InvalidCases.
    """

    errors = (400, 408, 413, 415, 422)

    def __init__(
        self,
        shape: type[BaseModel],
        read: Callable[[JsonValue], T],
        example: JsonValue,
        *,
        kind: DocumentKind,
    ) -> None:
        self._read = read
        self._kind = kind
        self.body = {
            "required": True,
            "content": {
                "application/json": {"schema": in_one_piece(shape), "example": example},
                YAML: {"schema": in_one_piece(shape, is_cleaned=True), "example": example},
            },
        }

    async def parse(self, request: Request) -> T:
        body = await read_body(request, also=YAML)
        resources: Resources = request.app.state.resources
        tenant = request.state.tenant
        if media_type_of(request) == YAML:
            value = await read_yaml_document(resources, tenant, self._kind, body)
        else:
            value = parse_object(body)
            await check_json_document(resources, tenant, self._kind, value)
        return self._read(value)
