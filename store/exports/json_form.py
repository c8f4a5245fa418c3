"""The JSON format of an export: one object, with one record on each line."""

import json
from typing import Final

from domain.exports.export import Section
from store.exports.pieces import ArrayForm, first_elements, in_pieces
from store.exports.section_source import Source

_ARRAY: Final = ArrayForm(comma="', '", element="more.element", end="']}'")


class JsonRendering:
    """The rendering of an export as one JSON object. `store/exports/export.py` uses this class."""

    counts: Final = False
    separator: Final = b",\n"

    def query(self, source: Source) -> str:
        values, rows = first_elements(source)
        columns = ", ".join(
            f"{value} AS {column.name}"
            for value, column in zip(values, source.columns, strict=True)
        )
        if source.elements is None:
            records = f"SELECT {columns} FROM {rows} ORDER BY {source.order}"  # noqa: S608 - constants
            return f"SELECT E',\\n' || row_to_json(r)::text FROM ({records}) AS r"  # noqa: S608 - likewise
        record = f"row_to_json((SELECT r FROM (SELECT {columns}) AS r))::text"  # noqa: S608 - likewise
        records = (
            f"SELECT E',\\n' || {record} AS line, first.is_long, t.client_id, t.id "  # noqa: S608 - likewise
            f"FROM {rows} ORDER BY {source.order} OFFSET 0"
        )
        return in_pieces(records, source.elements, _ARRAY)

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
