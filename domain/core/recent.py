"""A bounded in-memory cache with LRU eviction."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """An LRU cache whose entries have a total weight of at most `limit`. Entries never expire, so a
    key must contain all inputs of its value."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self._held: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        held = self._held.get(key)
        if held is None:
            return None
        self._held.move_to_end(key)
        return held[0]

    def keep(self, key: Key, value: Value, weight: int) -> Value:
        """Store the value under the key, and return the value. A value with a `weight` above the
        cache's limit is not stored."""
        self.drop(key)
        if weight <= self._limit:
            self._held[key] = value, weight
            self._weight += weight
        while self._weight > self._limit:
            _, (_, lighter) = self._held.popitem(last=False)
            self._weight -= lighter
        return value

    def drop(self, key: Key) -> None:
        """Remove the value under the key, if there is one."""
        before = self._held.pop(key, None)
        self._weight -= before[1] if before else 0
