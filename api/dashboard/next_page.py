"""The page after sign-in. It is always one of our pages, even if the link names another site."""

import re
from typing import Final
from urllib.parse import unquote, urlsplit

HOME: Final = "/app"

_MAX: Final = 4_000
# Matches a path below /app, and the consent page. A backslash does not match, because browsers
# treat it as a slash. Control characters do not match, because browsers drop some of them and keep
# the rest of the URL.
_OURS: Final = re.compile(r"/(app(/[^\\]*|\?[^\\]*)?|authorize(\?[^\\]*)?)")


def next_page(wanted: str | None) -> str:
    """Return the requested page if it is a page of this service, otherwise the overview page."""
    if wanted is None or len(wanted) > _MAX or not (wanted.isascii() and wanted.isprintable()):
        return HOME
    if not _OURS.fullmatch(wanted) or "//" in (path := urlsplit(wanted).path):
        return HOME
    # Browsers resolve `.` and `..` even when they are percent-encoded.
    if any(unquote(part) in (".", "..") for part in path.split("/")) or "\\" in unquote(path):
        return HOME
    return wanted
