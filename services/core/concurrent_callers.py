"""A limit on the number of concurrent callers with the same key in this process. Further callers
are rejected."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from domain.core.errors import CallerBusy

K = TypeVar("K", bound=Hashable)


class ConcurrentCallers(Generic[K]):
    """A counter of the concurrent callers of each key, with a maximum for one key."""

    def __init__(self, *, at_most: int) -> None:
        self._at_most = at_most
        self._present: Counter[K] = Counter()

    @contextmanager
    def join(self, key: K) -> Iterator[None]:
        """Count the caller toward the key's limit while the block runs. Raises CallerBusy if the
        key already has the maximum number of callers."""
        present = self._present[key]
        if present >= self._at_most:
            raise CallerBusy
        self._present[key] = present + 1
        try:
            yield
        finally:
            self._present[key] -= 1
            if not self._present[key]:
                del self._present[key]
