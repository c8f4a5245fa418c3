"""An index of the stems in many texts, used to search without scanning each text."""

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
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

    def __init__(self, texts: Sequence[Set[str]]) -> None:
        self.size = len(texts)
        places: dict[str, list[int]] = defaultdict(list)
        for place, stems in enumerate(texts):
            for stem in stems:
                places[stem].append(place)
        self._places: dict[str, Places] = {
            stem: np.array(found, dtype=np.intp) for stem, found in places.items()
        }
        self._longer: dict[str, list[str]] = defaultdict(list)
        for stem in places:
            for beginning in _beginnings(stem):
                self._longer[beginning].append(stem)

    def places(self, stem: str) -> Places:
        """Return the sorted, distinct positions of the texts that contain this stem or a similar
        one."""
        spend(1)
        found = [self._places[one] for one in self._alike(stem)]
        if len(found) < 2:
            return found[0] if found else _NONE
        spend(sum(map(len, found)))
        return np.unique(np.concatenate(found))

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
