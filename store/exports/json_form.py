"""The JSON form of an export: one object, a record a line."""

import json
from typing import Final

from domain.exports.export import Section
from store.exports.sections import Source


class JsonRendering:
    """How the rows of an export become one JSON object; `store/exports/export.py` calls it."""

    counts: Final = False
    separator: Final = b",\n"

    def query(self, source: Source) -> str:
        columns = ", ".join(f"{column.sql} AS {column.name}" for column in source.columns)
        records = f"SELECT {columns} FROM {source.source} ORDER BY {source.order}"  # noqa: S608 - constants
        return f"SELECT row_to_json(r) FROM ({records}) AS r"  # noqa: S608 - likewise

    def begin(self, exported_at: str, client_id: str) -> bytes:
        head = json.dumps({"exported_at": exported_at, "client_id": client_id})
        return head.removesuffix("}").encode()

    def open(
        self,
        section: Section,
        source: Source,  # noqa: ARG002
        count: int | None,  # noqa: ARG002
    ) -> bytes:
        return f',\n"{section}": [\n'.encode()

    def close(self) -> bytes:
        return b"]"

    def end(self) -> bytes:
        return b"}\n"
