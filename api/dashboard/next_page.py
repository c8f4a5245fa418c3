"""The page to open after sign-in. It is always a page of this service, even if the sign-in link
specifies another site."""

import re
from typing import Final
from urllib.parse import unquote, urlsplit

HOME: Final = "/app"

_MAX: Final = 4_000
# Matches the consent page and any path below /app. Backslashes do not match, because browsers treat
# them as slashes. Control characters do not match, because browsers drop some of them and keep the
# rest of the URL.
_OURS: Final = re.compile(r"/(app(/[^\\]*|\?[^\\]*)?|authorize(\?[^\\]*)?)")


def next_page(wanted: str | None) -> str:
    """Return the requested page if it belongs to this service. Otherwise return the overview
    page."""
    if wanted is None or len(wanted) > _MAX or not (wanted.isascii() and wanted.isprintable()):
        return HOME
    if not _OURS.fullmatch(wanted) or "//" in (path := urlsplit(wanted).path):
        return HOME
    # Browsers resolve `.` and `..` even when they are percent-encoded.
    if any(unquote(part) in (".", "..") for part in path.split("/")) or "\\" in unquote(path):
        return HOME
    return wanted
