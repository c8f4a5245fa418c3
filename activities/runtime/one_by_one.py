"""Sequential processing in which one failing item does not stop the others."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, Protocol, TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError
from temporalio import activity

from domain.core.errors import EngineUnavailable
from domain.runs.contracts import SweepResult
from store.core.place import Place

# After this many consecutive failures, the assumed cause is an outage of the other system, not the
# items themselves.
_AWAY: Final = 3

_log = structlog.get_logger(__name__)


class _Placed(Protocol):
    @property
    def place(self) -> Place: ...


P = TypeVar("P", bound=_Placed)


class Tally:
    """Counters for the items that were picked up and the items that failed. `what` is the name of
    the log event for a failed item."""

    def __init__(self, what: str, picked_up: int = 0, failed: int = 0) -> None:
        self.picked_up = picked_up
        self.failed = failed
        self._what = what
        self._in_a_row = 0
        self._unexpected: Exception | None = None

    async def add(self, work: Awaitable[int], **ids: str) -> None:
        """Process one item, and count it. Raises EngineUnavailable or SQLAlchemyError after several
        consecutive failures. Other errors are kept for `check`."""
        try:
            self.picked_up += await work
            self._in_a_row = 0
        except (EngineUnavailable, SQLAlchemyError) as error:
            _log.error(self._what, error=type(error).__name__, **ids)
            self.failed += 1
            self._in_a_row += 1
            if self._in_a_row == _AWAY:
                raise
        except Exception as error:  # noqa: BLE001 - `check` raises it after the other items
            _log.error(self._what, error=type(error).__name__, **ids)
            self.failed += 1
            self._unexpected = self._unexpected or error

    def check(self) -> None:
        """Raise the first unexpected error of an item, so that it is reported. Call this after all
        items."""
        if self._unexpected is not None:
            raise self._unexpected

    @property
    def result(self) -> SweepResult:
        return SweepResult(picked_up=self.picked_up, failed=self.failed)


async def one_by_one(
    next_page: Callable[[Place | None], Awaitable[Sequence[P]]],
    work: Callable[[P], Awaitable[int]],
    *,
    what: str,
) -> SweepResult:
    """Process all items, page by page, and return the counts. `work` returns how many items it
    picked up.

    A retry continues after the last item in the heartbeats. Unexpected errors are raised at the
    end.
    """
    place, tally = _broken_off(what)
    while page := await next_page(place):
        for one in page:
            place = one.place
            _note(place, tally)
            await tally.add(work(one), record_id=place.id)
    if place is not None:
        _note(place, tally)
    tally.check()
    return tally.result


def _note(place: Place, tally: Tally) -> None:
    activity.heartbeat(place.at.isoformat(), place.id, tally.picked_up, tally.failed)


def _broken_off(what: str) -> tuple[Place | None, Tally]:
    match activity.info().heartbeat_details:
        case [str(at), str(record_id), int(picked_up), int(failed)]:
            place = Place(datetime.fromisoformat(at), record_id)
            return place, Tally(what, picked_up, failed)
    return None, Tally(what)
