"""An index of the stems in many texts, used to search without scanning each text."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.core.effort import spend

Places = NDArray[np.intp]

_NONE: Final[Places] = np.empty(0, dtype=np.intp)
# A stem of at least this length also matches a longer stem that starts with the same letters and
# has a short ending.
_SHORTEST_ALIKE: Final = 5
_LONGEST_ENDING: Final = 4


class StemIndex:
    """An index of texts by their stems. "expedi" also finds "expedition", and vice versa."""

    def __init__(self, texts: Iterable[Set[str]] = ()) -> None:
        self.size = 0
        self._places: dict[str, list[int]] = {}
        self._longer: dict[str, list[str]] = defaultdict(list)
        for stems in texts:
            self.add(stems)

    def add(self, stems: Set[str]) -> None:
        """Add a text with these stems. Its position is the number of texts before it."""
        for stem in stems:
            places = self._places.get(stem)
            if places is not None:
                places.append(self.size)
                continue
            self._places[stem] = [self.size]
            for beginning in _beginnings(stem):
                self._longer[beginning].append(stem)
        self.size += 1

    def places(self, stem: str) -> Places:
        """Return the sorted, distinct positions of the texts that contain this stem or a similar
        one."""
        spend(1)
        found = [self._places[one] for one in self._alike(stem)]
        if not found:
            return _NONE
        if len(found) == 1:
            return np.array(found[0], dtype=np.intp)
        spend(sum(map(len, found)))
        return np.array(sorted(set[int]().union(*found)), dtype=np.intp)

    def _alike(self, stem: str) -> Iterator[str]:
        if stem in self._places:
            yield stem
        yield from (shorter for shorter in _beginnings(stem) if shorter in self._places)
        yield from self._longer.get(stem, ())


def counted(found: Sequence[Places], size: int) -> Places:
    """Return the number of times that each of the `size` texts was found."""
    spend(sum(map(len, found)))
    return np.bincount(np.concatenate([_NONE, *found]), minlength=size)


def _beginnings(stem: str) -> Iterator[str]:
    for length in range(max(_SHORTEST_ALIKE, len(stem) - _LONGEST_ENDING), len(stem)):
        yield stem[:length]
