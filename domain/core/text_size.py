"""The memory that texts take, for caches with a size limit."""

import sys
from collections.abc import Iterable


def text_bytes(texts: Iterable[str]) -> int:
    """Return the size of the texts in memory, in bytes. A single wide character makes each
    character of its text take up to four bytes."""
    return sum(map(sys.getsizeof, texts))
