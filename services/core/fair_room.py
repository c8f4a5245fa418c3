"""Divide a limited number of bytes or concurrent callers fairly among keys.

When the capacity is used up, a new caller takes over a reservation of the key that holds the most.
A few keys therefore cannot exclude the others.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from domain.core.errors import CallerBusy, DomainError


class FairRoom:
    """A capacity in units, with limits on all reservations and on each key.

    - `of_one`: the maximum units of one key.
    - `leaves_half`: a key holds at most half of the units that the other keys leave free.
    - `not_counted`: reservations up to this size are not counted.
    - `refusal`: the error raised without enough capacity.
    """

    def __init__(
        self,
        *,
        in_all: int,
        of_one: int,
        leaves_half: bool = True,
        not_counted: int = 0,
        refusal: type[DomainError] = CallerBusy,
    ) -> None:
        self._in_all = in_all
        self._of_one = of_one
        self._leaves_half = leaves_half
        self.not_counted = not_counted
        self.refusal = refusal
        self._held: Counter[Hashable] = Counter()
        self._sum = 0
        # The reservations are ordered by age, oldest first.
        self._waiting: dict[RoomShare, Callable[[], None]] = {}

    @contextmanager
    def place(self, *keys: Hashable) -> Iterator["RoomShare"]:
        """Open an empty reservation that lasts until the block ends. Its units count toward each of
        the keys."""
        place = RoomShare(self, keys)
        try:
            yield place
        finally:
            place.settle()
            self._change(place, -place.held)

    def waits(self, place: "RoomShare", give_way: Callable[[], None] | None) -> None:
        """Register a callback that releases a reservation when another key takes it over. None
        unregisters the callback."""
        if give_way is None:
            self._waiting.pop(place, None)
        else:
            self._waiting[place] = give_way

    def take(self, place: "RoomShare", more: int) -> None:
        """Add `more` units to a reservation. Raises the error `refusal` if there is not enough
        capacity."""
        load = self._load(place) + more
        if load > self._of_one:
            raise self.refusal
        while not self._fits(place, more):
            largest = max(self._waiting, key=self._loads, default=None)
            if largest is None or self._load(largest) <= load:
                raise self.refusal
            self._give_up(largest)
        self._change(place, more)

    def _fits(self, place: "RoomShare", more: int) -> bool:
        free = self._in_all - self._sum
        if not self._leaves_half:
            return more <= free
        return all(self._held[key] + more <= (free + self._held[key]) // 2 for key in place.keys)

    def _load(self, place: "RoomShare") -> int:
        """Return the number of units held by the reservation's largest key."""
        return self._loads(place)[0]

    def _loads(self, place: "RoomShare") -> list[int]:
        """Return the number of units held by each of the reservation's keys, largest first.

        Ties are decided by the second load: a network with many streams for one client loses a
        reservation before the client's other visitors.
        """
        return sorted((self._held[key] for key in place.keys), reverse=True)

    def _give_up(self, place: "RoomShare") -> None:
        give_way = self._waiting.pop(place)
        self._change(place, -place.held)
        place.is_given_up = True
        give_way()

    def _change(self, place: "RoomShare", by: int) -> None:
        place.held += by
        self._sum += by
        for key in place.keys:
            self._held[key] += by
            if not self._held[key]:
                del self._held[key]


class RoomShare:
    """A reservation of capacity. `is_given_up`: True after another key has taken over the
    reservation."""

    def __init__(self, room: FairRoom, keys: tuple[Hashable, ...]) -> None:
        self._room = room
        self.keys = keys
        self.held = 0
        self.is_given_up = False

    def grow(self, size: int) -> None:
        """Grow the reservation to `size` units in total. Raises the FairRoom's `refusal` if there
        is not enough capacity."""
        if self.is_given_up:
            raise self._room.refusal
        if size <= max(self.held, self._room.not_counted):
            return
        self._room.take(self, size - self.held)

    def may_give_way(self, give_way: Callable[[], None]) -> None:
        """Allow other keys to take over this reservation until `settle` is called. `give_way`:
        called once, when the reservation is taken over."""
        self._room.waits(self, give_way)

    def settle(self) -> None:
        """Prevent other keys from taking over this reservation from now on. If another key has
        already taken it over, no error is raised, and `is_given_up` is True."""
        self._room.waits(self, None)

    def check_kept(self) -> None:
        """Raise the FairRoom's `refusal` if another key has taken over this reservation."""
        if self.is_given_up:
            raise self._room.refusal
