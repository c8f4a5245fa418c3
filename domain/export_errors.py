"""Errors of reading an export back. None holds what a customer wrote."""

from domain.errors import InvalidInput


class InvalidExport(InvalidInput):
    """The file is no export that can be read back. The message says where and why."""

    code = "invalid_export"


class ClientNotEmpty(InvalidInput):
    """An export is read into a client that has records already."""

    code = "client_not_empty"
