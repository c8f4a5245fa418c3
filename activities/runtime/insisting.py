"""Retry a record of an external effect while the database is down."""

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
    """Return a retrier for EngineUnavailable with pauses of `pauses_s` seconds, which finally
    raises the last error."""
    return AsyncRetrying(
        retry=retry_if_exception_type(EngineUnavailable),
        wait=wait_chain(*map(wait_fixed, pauses_s)),
        stop=stop_after_attempt(len(pauses_s) + 1),
        reraise=True,
    )
