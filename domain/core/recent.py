"""What was worked out lately, so that the same is not worked out again."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values by key. What was asked for least lately goes first, so that all weigh `limit` at most.

    The key must name all that the value was made of: nothing else ever makes it anew.
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
        """Returns the value. One that weighs more than all may is not kept."""
        before = self._held.pop(key, None)
        self._weight -= before[1] if before else 0
        if weight <= self._limit:
            self._held[key] = value, weight
            self._weight += weight
        while self._weight > self._limit:
            _, (_, lighter) = self._held.popitem(last=False)
            self._weight -= lighter
        return value
