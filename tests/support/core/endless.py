"""Work that would not end within a human lifetime."""

import re

_ATTACK = "a" * 80 + "b"


def endless_search() -> bool:
    """Search with a regular expression that takes exponential time."""
    return re.search(r"(a+)+$", _ATTACK) is not None


def endless_loop() -> int:
    """Compute in pure Python."""
    number = 0
    while True:
        number = (number * 3 + 1) % 1_000_003
