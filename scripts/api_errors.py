"""Regenerate docs/api-errors.md from the error table: `python -m scripts.api_errors`."""

from pathlib import Path
from typing import Final

from api.errors import ANSWERS

FILE: Final = Path(__file__).parents[1] / "docs" / "api-errors.md"
_HEAD: Final = """\
# API errors

This page is for developers who call the API. It lists every error with its status and text. The
body of an error is `{"error", "code", "request_id"}`, with the fields named below. Programs should
use the status and `code`, because the specification words some texts differently by route
([api.md](api.md#errors)). `python -m scripts.api_errors` generates this file, and a test compares
it with the table.

| Status | Code | Text | Fields |
|---|---|---|---|
"""


def table() -> str:
    """Return the new text of docs/api-errors.md."""
    rows = {
        (answer.status, error.code, answer.text, answer.fields) for error, answer in ANSWERS.items()
    }
    return _HEAD + "".join(
        f"| {status} | `{code}` | {text} | {', '.join(f'`{one}`' for one in fields)} |\n"
        for status, code, text, fields in sorted(rows)
    )


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
