"""A delivery as a line for a shell, for a receiver's developer to repeat elsewhere."""

import shlex
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

VALID_FOR: Final = timedelta(seconds=300)
"""From its signature on: receivers refuse what is older."""


def curl_line(url: str, headers: Mapping[str, str], body: str) -> str:
    """One POST with these headers and exactly this body, quoted for POSIX shells.

    `--data-raw`: with others a body that begins with @ would name a file. `--globoff`: brackets in
    a URL stand for themselves.
    """
    words = ["curl", "--include", "--globoff", "--request", "POST", url]
    for name, value in headers.items():
        words += ["--header", f"{name}: {value}"]
    return shlex.join([*words, "--data-raw", body])
