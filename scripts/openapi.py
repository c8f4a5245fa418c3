"""Regenerate docs/openapi.json, the committed OpenAPI document: `python -m scripts.openapi`."""

import json
from pathlib import Path
from typing import Any, Final

from api.app import create_app
from tests.support.core.engine import settings_of

FILE: Final = Path(__file__).parents[1] / "docs" / "openapi.json"


def written(document: dict[str, Any]) -> str:
    """Return the new text of docs/openapi.json. `document` is the served OpenAPI document."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    served = create_app(settings_of("postgresql://a/b", "c:1")).openapi()
    FILE.write_text(written(served), encoding="utf-8")
