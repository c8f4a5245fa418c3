"""Errors of exports, and of reading one back. None holds what a customer wrote."""

from domain.core.errors import DomainError, InvalidInput


class InvalidExportFormat(DomainError):
    """The export was asked for in a form that there is not, or in two."""

    code = "invalid_format"


class ExportsBusy(DomainError):
    """As many exports as may be written at once are being written."""

    code = "exports_busy"
    retryable = True
    retry_after_s = 10


class InvalidExport(InvalidInput):
    """The file is no export that can be read back. The message says where and why."""

    code = "invalid_export"


class ClientNotEmpty(InvalidInput):
    """An export is read into a client that has records already."""

    code = "client_not_empty"
