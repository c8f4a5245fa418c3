"""Generate the export documentation from the record classes: docs/export/export.schema.json and the
tables in docs/export.md. Run `.venv/bin/python -m scripts.export_schema`. A test compares both
files with the classes."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from domain.exports.records import ExportDocument

DOCS: Final = Path(__file__).parents[1] / "docs"
SCHEMA: Final = DOCS / "export" / "export.schema.json"
DOCUMENT: Final = DOCS / "export.md"

_TABLE: Final = re.compile(r"<!-- ([A-Z]\w+) -->\n.*?(?=^<!-- end -->)", re.DOTALL | re.MULTILINE)


class _Schema(GenerateJsonSchema):
    """A schema generator that omits titles, because they would only repeat the field names."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema 2020-12 for a whole export file."""
    made = ExportDocument.model_json_schema(mode="serialization", schema_generator=_Schema)
    return {"$schema": GenerateJsonSchema.schema_dialect, **made}


def schema_text() -> str:
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


def document_text(written: str) -> str:
    """Return the text of docs/export.md with each table generated from its record class, between
    `<!-- Record -->` and `<!-- end -->`."""
    parts = schema()["$defs"]
    return _TABLE.sub(lambda place: f"<!-- {place[1]} -->\n{_table(parts[place[1]])}", written)


def _table(record: dict[str, Any]) -> str:
    lines = [
        " ".join(record["description"].split()),
        "",
        "| Field | Type | Content |",
        "|---|---|---|",
    ]
    lines += [
        f"| `{name}` | {_type(field)} | {field['description']} |"
        for name, field in record["properties"].items()
    ]
    return "\n".join(lines) + "\n"


def _type(field: dict[str, Any]) -> str:
    if several := field.get("anyOf"):
        return " or ".join(map(_type, several))
    if reference := field.get("$ref"):
        field = schema()["$defs"][reference.removeprefix("#/$defs/")]
    if "enum" in field:
        return "word"
    return {"date-time": "time", "date": "day"}.get(field.get("format", ""), str(field["type"]))


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    DOCUMENT.write_text(document_text(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
