"""Tables of `each`: no row is skipped, and each failing row is reported."""

import pytest

from tests.support.core.each import each


def test_every_row_that_fails_is_told() -> None:
    tried = []

    @each([(1, "a"), (2, "b"), (3, "c")])
    def even(number: int, name: str) -> None:
        tried.append(name)
        assert number % 2 == 0
        _ = 1 // (number - 2)

    with pytest.raises(AssertionError) as failed:
        even()

    assert tried == ["a", "b", "c"]
    told = str(failed.value)
    assert "3 of 3 rows" in told
    assert "(2, 'b'): ZeroDivisionError" in told


def test_a_table_without_rows_fails() -> None:
    @each([])
    def nothing(row: object) -> None:
        raise AssertionError(row)

    with pytest.raises(AssertionError):
        nothing()
