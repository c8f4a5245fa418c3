"""The body of a playbook or a saved case: JSON, or YAML as people write it to a file."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel, JsonValue

from api.http.json_body import YAML, media_type_of, parse_object, read_body
from api.openapi import in_one_piece
from api.route import Part
from domain.playbooks.file import yaml_in

T = TypeVar("T")


class PlaybookBody(Part, Generic[T]):
    """Raises UnsupportedMediaType, BodyTooLarge, BodyTooSlow, InvalidBody, InvalidPlaybook.

    `shape`: for the document. `read`: makes of the value what the route wants. `yaml`: reads a
    document of YAML.
    """

    errors = (400, 408, 413, 415)

    def __init__(
        self,
        shape: type[BaseModel],
        read: Callable[[JsonValue], T],
        example: JsonValue,
        *,
        yaml: Callable[[bytes], JsonValue] = yaml_in,
    ) -> None:
        self._read = read
        self._yaml = yaml
        self.body = {
            "required": True,
            "content": {
                "application/json": {"schema": in_one_piece(shape), "example": example},
                YAML: {"schema": in_one_piece(shape, is_cleaned=True)},
            },
        }

    async def __call__(self, request: Request) -> T:
        body = await read_body(request, also=YAML)
        is_yaml = media_type_of(request) == YAML
        # In a thread: a file of YAML takes a second where it is long.
        value = await asyncio.to_thread(self._yaml, body) if is_yaml else parse_object(body)
        return self._read(value)
