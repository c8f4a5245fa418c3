"""Code examples that pages show to developers of webhook endpoints. docs/webhooks.md contains the
same code."""

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent

VERIFYING: Final = tuple(
    (name, (_HERE / f"{file}.txt").read_text())
    for name, file in (
        ("Python", "python"),
        ("Node.js", "node"),
        ("PHP", "php"),
        ("Python, stripe", "python_stripe"),
        ("Python, standardwebhooks", "python_standard_webhooks"),
    )
)
"""The programming languages, each with a library and code that verifies a signature."""
