"""Why a file is not kept."""

from enum import StrEnum


class AttachmentRefusal(StrEnum):
    """Stable codes. `too_much`: all of the client's files of one day. `markup`: HTML, SVG or XML.
    `not_as_claimed`: the sender said image and the bytes say PDF, or the like. `unreadable`: its
    structure is broken or cannot be looked through. `pdf_active`: it holds a script, an action or
    another file."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    TOO_MUCH = "too_much"
    UNKNOWN_TYPE = "unknown_type"
    EXECUTABLE = "executable"
    ARCHIVE = "archive"
    MARKUP = "markup"
    NOT_AS_CLAIMED = "not_as_claimed"
    UNREADABLE = "unreadable"
    TOO_MANY_PIXELS = "too_many_pixels"
    PDF_ENCRYPTED = "pdf_encrypted"
    PDF_ACTIVE = "pdf_active"
