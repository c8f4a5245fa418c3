"""The Temporal payloads for imports of knowledge from websites: only ids and counts."""

from domain.core.contracts import Contract


class SiteProgress(Contract):
    """The progress of an import. `pause_s` is the pause before the next page, in seconds.
    `has_more` means that pages are left to read."""

    pages: int = 0
    done: int = 0
    suggested: int = 0
    pause_s: float = 0.0
    has_more: bool = False


class EndSiteImportInput(Contract):
    """The end of an import. `error_code` is the reason why the import ended early, or None."""

    client_id: str
    record_id: str
    error_code: str | None = None
