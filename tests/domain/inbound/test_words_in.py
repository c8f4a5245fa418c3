"""The text of a stored body, in which an erasure searches for a customer's address."""

import tracemalloc
from typing import Final

from domain.inbound.body import MAX_JSON, words_in
from domain.intake.customer_email import mentions
from tests.support.core.each import each

ADDRESS: Final = "ann@x.example"


@each(
    (
        (b'{"a":[{"ann@x.example":1}]}',),
        (rb'{"a":"\u0061nn\u0040x.example"}',),
        (b"from=ann%40x.example&b=1",),
        (b"Dear ann@x.example, \xff",),
    )
)
def test_an_address_is_found_in_any_format(body: bytes) -> None:
    assert mentions(words_in(body), ADDRESS)
    assert not mentions(words_in(body), "bob@x.example")


def test_millions_of_values_are_searched_without_parsing_them() -> None:
    """A parser would create 300 MB of Python objects for these values."""
    body = rb'{"a":[' + b"[1]," * 2_000_000 + rb'"\u0061nn\u0040x.example"]}'
    assert len(body) > MAX_JSON
    tracemalloc.start()
    try:
        found = words_in(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert mentions(found, ADDRESS)
    assert peak < 8 * len(body)
