"""A table as one test, for hundreds of rows. A row costs less than a separate test."""

from collections.abc import Callable, Iterable


def each(rows: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Call the test with every row, and fail with all failing rows. A tuple or list is unpacked
    into arguments."""

    def of(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            tried = [(row, _failure(check, row)) for row in rows]
            assert tried
            failed = [f"{row!r}: {failure}" for row, failure in tried if failure]
            assert not failed, "\n".join([f"{len(failed)} of {len(tried)} rows:", *failed])

        # With functools.wraps, pytest would treat the parameters as fixtures.
        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__module__, test.__doc__ = check.__module__, check.__doc__
        return test

    return of


def _failure(check: Callable[..., None], row: object) -> str:
    try:
        check(*row) if isinstance(row, tuple | list) else check(row)
    except Exception as error:  # noqa: BLE001 - the next rows must still be tried
        return f"{type(error).__name__}: {error}"
    return ""
