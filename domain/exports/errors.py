"""Errors of exports and imports. None contains a customer's text."""

from domain.core.errors import DomainError, InvalidInput


class InvalidExportFormat(DomainError):
    """The requested format does not exist, or more than one format is requested."""

    code = "invalid_format"


class ExportsBusy(DomainError):
    """The limit on concurrent exports is reached."""

    code = "exports_busy"
    retryable = True
    retry_after_s = 10


class InvalidExport(InvalidInput):
    """The file is not an export that can be imported. The message states the position and the
    reason."""

    code = "invalid_export"


class ClientNotEmpty(InvalidInput):
    """The target client of the import already has records."""

    code = "client_not_empty"
