"""Run a request's coroutine step by step. A step is the work between two of the request's waits."""

from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import Any

from api.http.edge_turns import EdgeTurns


class MeteredSteps:
    """An awaitable that adds up the time of a coroutine's steps, in seconds of `clock`."""

    def __init__(self, work: Coroutine[Any, Any, None], clock: Callable[[], float]) -> None:
        self._work = work
        self._clock = clock
        self.used_s = 0.0

    def __await__(self) -> Generator[Any, Any, None]:
        resume: Callable[[], Any] = partial(self._work.send, None)
        step = resume
        while True:
            if not self.may_start():
                try:
                    yield from self.turn()
                except BaseException as error:  # noqa: BLE001 - passed on to the coroutine
                    step = partial(self._work.throw, error)
            began = self._clock()
            try:
                waited = step()
            except StopIteration:
                return
            finally:
                self.spend(self._clock() - began)
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001 - passed on to the coroutine
                step = partial(self._work.throw, error)
                continue
            step = resume

    def may_start(self) -> bool:
        """Return True if the next step can start now."""
        return True

    def turn(self) -> Generator[Any, Any, None]:
        """Wait until the next step can start."""
        yield from ()

    def spend(self, used_s: float) -> None:
        """Count the seconds of a step."""
        self.used_s += used_s


class StepsInTurn(MeteredSteps):
    """An awaitable that runs a coroutine in its address's turns."""

    def __init__(self, work: Coroutine[Any, Any, None], turns: EdgeTurns, address: str) -> None:
        super().__init__(work, turns.clock)
        self._turns = turns
        self._address = address

    def may_start(self) -> bool:
        """Return True if the address has a turn now."""
        return self._turns.may_start(self._address)

    def turn(self) -> Generator[Any, Any, None]:
        """Wait until the address has a turn."""
        yield from self._turns.wait(self._address).__await__()

    def spend(self, used_s: float) -> None:
        """Count the seconds toward the address's turn."""
        self._turns.spend(self._address, used_s)
