"""The product's documents, read from files next to the code."""

from functools import cache
from pathlib import Path
from typing import Final

from domain.copilot.documents import DocumentIndex

_FOLDER: Final = Path(__file__).resolve().parents[2] / "docs"

# Documents for merchants' users. The other documents are for operators and developers of this
# service.
_PAGES: Final = (
    "accounts.md", "api.md", "attachments.md", "audit.md", "billing.md", "brain.md", "copilot.md",
    "dashboard.md", "erasure.md", "export.md", "inbound.md", "integrations.md", "learning.md",
    "mail.md", "mcp.md", "metrics.md", "playbooks.md", "ratings.md", "reviews.md", "simulator.md",
    "webhooks.md", "widget.fr.md", "widget.md",
)  # fmt: skip
_FOLDERS: Final = ("inbound",)
FOR_DEVELOPERS: Final = frozenset(
    {
        "api.md", "attachments.md", "brain.md", "dashboard.md", "erasure.md", "inbound/generic.md",
        "mcp.md", "reviews.md", "webhooks.md",
    }
)  # fmt: skip
"""Documents that consist mainly of HTTP requests or of settings for operators."""


@cache
def document_index() -> DocumentIndex:
    """Return the index of the product's documents, empty in a package built without them.

    Built once per process, in a quarter of a second of CPU.
    """
    files = [_FOLDER / page for page in _PAGES]
    for folder in _FOLDERS:
        files += sorted((_FOLDER / folder).glob("*.md"))
    return DocumentIndex.of(
        {
            file.relative_to(_FOLDER).as_posix(): file.read_text(encoding="utf-8")
            for file in files
            if file.is_file()
        },
        FOR_DEVELOPERS,
    )
