"""A bounded cache of recent results."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """A cache with a total weight of at most `limit`.

    The least recently used value is evicted first. The key must cover all inputs of a value,
    because entries are never invalidated.
    """

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
        """Store and return the value. A value that alone exceeds the limit is not stored."""
        before = self._held.pop(key, None)
        self._weight -= before[1] if before else 0
        if weight <= self._limit:
            self._held[key] = value, weight
            self._weight += weight
        while self._weight > self._limit:
            _, (_, lighter) = self._held.popitem(last=False)
            self._weight -= lighter
        return value
