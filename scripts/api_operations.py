"""Regenerate docs/api-operations.md from the routes: `python -m scripts.api_operations`."""

from pathlib import Path
from typing import Any, Final

from api.app import create_app
from tests.support.core.engine import settings_of

FILE: Final = Path(__file__).parents[1] / "docs" / "api-operations.md"
_HEAD: Final = """\
# API operations

This page is for developers. It lists every route of the [API](api.md) by its operation id. Client
generators name their functions after the id, so an id never changes. `/docs` of a running API
describes the parameters, bodies and responses. `python -m scripts.api_operations` generates this
file, and a test compares it with the routes.

| Operation | Request | Purpose |
|---|---|---|
"""


def table(document: dict[str, Any]) -> str:
    """Return the new text of docs/api-operations.md. `document` is the served OpenAPI document."""
    rows = [
        f"| `{operation['operationId']}` | `{method.upper()} {path}` | {operation['summary']} |"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    return _HEAD + "\n".join(sorted(rows)) + "\n"


if __name__ == "__main__":
    document = create_app(settings_of("postgresql://a/b", "c:1")).openapi()
    FILE.write_text(table(document), encoding="utf-8")
