"""Writing down what has happened outside: asked again while the database is away."""

from collections.abc import Sequence

from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_chain,
    wait_fixed,
)

from domain.core.errors import EngineUnavailable


def insisting(pauses_s: Sequence[float]) -> AsyncRetrying:
    """Tries once more after each pause, in seconds. Raises EngineUnavailable if the last one fails
    too."""
    return AsyncRetrying(
        retry=retry_if_exception_type(EngineUnavailable),
        wait=wait_chain(*map(wait_fixed, pauses_s)),
        stop=stop_after_attempt(len(pauses_s) + 1),
        reraise=True,
    )
