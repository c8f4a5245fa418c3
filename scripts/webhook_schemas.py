"""Regenerate docs/webhooks/*.json: `python -m scripts.webhook_schemas`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from domain.webhooks.catalogue import JsonObject, entries

FOLDER: Final = Path(__file__).parents[1] / "docs" / "webhooks"


def documents() -> Mapping[str, str]:
    """Return the contents of the files in docs/webhooks/, keyed by file name."""
    return {
        f"{one.event}.{kind}.json": _text(content)
        for one in entries()
        for kind, content in (("schema", one.body_schema), ("example", one.example))
    }


def _text(content: JsonObject) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    for name, text in documents().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
