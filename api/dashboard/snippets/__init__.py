"""Code examples that pages show to developers of webhook receivers. docs/webhooks.md contains the
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
"""The programming languages, each with its library and the code that verifies a signature."""
