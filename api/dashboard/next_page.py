"""The page after sign-in. It is always a page of ours, even if the link names another one."""

import re
from typing import Final
from urllib.parse import unquote, urlsplit

HOME: Final = "/app"

_MAX: Final = 4_000
# A path below /app, or the consent page. No backslash: browsers take it for a slash. No control
# character: browsers drop some of them and read what is left.
_OURS: Final = re.compile(r"/(app(/[^\\]*|\?[^\\]*)?|authorize(\?[^\\]*)?)")


def next_page(wanted: str | None) -> str:
    """The page that was wanted, if it is one of ours; else the first one."""
    if wanted is None or len(wanted) > _MAX or not (wanted.isascii() and wanted.isprintable()):
        return HOME
    if not _OURS.fullmatch(wanted) or "//" in (path := urlsplit(wanted).path):
        return HOME
    # Browsers resolve these, also where they are escaped.
    if any(unquote(part) in (".", "..") for part in path.split("/")) or "\\" in unquote(path):
        return HOME
    return wanted
