"""The reasons why an attachment is refused."""

from enum import StrEnum


class AttachmentRefusal(StrEnum):
    """The reason why an attachment is refused. The codes are stable.

    - `too_much`: it exceeds the client's daily limit.
    - `markup`: it is HTML, SVG or XML.
    - `not_as_claimed`: the bytes contradict the claimed type.
    - `unreadable`: its structure is broken or cannot be searched.
    - `pdf_active`: it contains a script, an action or another file.
    """

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
