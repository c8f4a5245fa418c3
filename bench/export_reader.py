"""Download one export into a file as fast as possible, and print the figures as a line of JSON.

The reader is a separate process with few imports, so that no other work delays it and a small
export takes little time.
"""

import http.client
import json
import sys
import time
from pathlib import Path
from typing import Final

_PIECE: Final = 256 * 1024
_PATIENCE_S: Final = 120.0


def read(port: int, key: str, form: str, file: Path) -> dict[str, float]:
    """Return the number of bytes, and the seconds from before the connection to the first byte and
    to the last byte in the file. Raises http.client.IncompleteRead for a truncated export,
    RuntimeError for a rejected one."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    path = f"/api/client/export-data?format={form}"
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"HTTP {answer.status}: {answer.read(300)!r}")
    first = 0.0
    with file.open("wb") as to:
        while piece := answer.read1(_PIECE):
            first = first or time.perf_counter() - began
            to.write(piece)
        size = to.tell() if file.is_file() else 0
    return {"seconds": time.perf_counter() - began, "first_byte_s": first, "bytes": size}


if __name__ == "__main__":
    given_port, given_key, given_form, given_file = sys.argv[1:]
    print(json.dumps(read(int(given_port), given_key, given_form, Path(given_file))))
