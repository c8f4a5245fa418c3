"""Errors of exports and imports. Errors never contain customer text."""

from domain.core.errors import DomainError, InvalidInput


class InvalidExportFormat(DomainError):
    """The request specifies an unknown export format, or more than one format."""

    code = "invalid_format"


class ExportsBusy(DomainError):
    """Too many exports are in progress. The caller can try again after ten seconds."""

    code = "exports_busy"
    retryable = True
    retry_after_s = 10


class ExportNotAudited(DomainError):
    """The audit entry of an export cannot be written, so nothing is exported."""

    code = "export_not_audited"

    def __init__(self) -> None:
        super().__init__("the audit entry of the export cannot be written: nothing was exported")


class InvalidExport(InvalidInput):
    """The file cannot be imported as an export. The message gives the position of the error and the
    reason."""

    code = "invalid_export"


class ClientNotEmpty(InvalidInput):
    """The import's target client already has records."""

    code = "client_not_empty"
