"""Errors of exports and imports. No error contains a customer's text."""

from domain.core.errors import DomainError, InvalidInput


class InvalidExportFormat(DomainError):
    """The request names an unknown export format, or more than one format."""

    code = "invalid_format"


class ExportsBusy(DomainError):
    """The service has reached its limit on concurrent exports."""

    code = "exports_busy"
    retryable = True
    retry_after_s = 10


class InvalidExport(InvalidInput):
    """The file is not an export that can be imported. The message names the position of the error
    and the reason."""

    code = "invalid_export"


class ClientNotEmpty(InvalidInput):
    """The target client of the import already has records."""

    code = "client_not_empty"
