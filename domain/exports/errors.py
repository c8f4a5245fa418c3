"""Errors of exports, and of imports. None contains a customer's text."""

from domain.core.errors import DomainError, InvalidInput


class InvalidExportFormat(DomainError):
    """The requested format does not exist, or two formats are requested."""

    code = "invalid_format"


class ExportsBusy(DomainError):
    """The limit of concurrent exports is reached."""

    code = "exports_busy"
    retryable = True
    retry_after_s = 10


class InvalidExport(InvalidInput):
    """The file is not an export that can be imported. The message says where and why."""

    code = "invalid_export"


class ClientNotEmpty(InvalidInput):
    """An export is imported into a client that already has records."""

    code = "client_not_empty"
