"""The Content-Disposition header for a file with an untrusted name (RFC 6266)."""

import re
from typing import Final, Literal
from urllib.parse import quote

# The fallback name for older programs is ASCII. It omits characters that would end a quoted string
# or look like an escape.
_NOT_PLAIN: Final = re.compile(r"[^ !#$&\'()+,\-.0-9;=@A-Z\[\]^_`a-z{}~]")


def content_disposition(kind: Literal["attachment", "inline"], name: str) -> str:
    """Return the value of a Content-Disposition header. `name` is a name without line breaks
    (`clean_file_name`)."""
    plain = _NOT_PLAIN.sub("_", name)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
