"""The Content-Disposition of a file that a stranger named (RFC 6266)."""

import re
from typing import Final, Literal
from urllib.parse import quote

# What older programs read: ASCII without what ends a quoted text or looks like an escape.
_NOT_PLAIN: Final = re.compile(r"[^ !#$&\'()+,\-.0-9;=@A-Z\[\]^_`a-z{}~]")


def content_disposition(kind: Literal["attachment", "inline"], name: str) -> str:
    """`name`: without line breaks (`clean_file_name`)."""
    plain = _NOT_PLAIN.sub("_", name)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
