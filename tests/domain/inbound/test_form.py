"""Forms: they round-trip, and user text neither hides a field nor costs much."""

import contextlib
import time
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.attached_file import AttachedFile
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.form import MAX_PARTS, PostedForm, read_form
from domain.inbound.inbound_request import InboundRequest
from tests.support.core.each import each
from tests.support.inbound.mails import BOUNDARY, multipart

URLENCODED: Final = {"content-type": "application/x-www-form-urlencoded"}
MEGABYTE: Final = 1024 * 1024


@given(
    values=st.lists(st.binary(max_size=60), max_size=5),
    data=st.binary(max_size=200).filter(lambda value: BOUNDARY.encode() not in value),
)
def test_what_was_written_is_read(values: list[bytes], data: bytes) -> None:
    kept = [value for value in values if BOUNDARY.encode() not in value]
    form = read_form(multipart([("field", v) for v in kept], [AttachedFile("a.png", "x/y", data)]))

    assert form.fields.get("field", ()) == tuple(kept)
    assert [(file.filename, file.data) for file in form.files] == [("a.png", data)]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_form_or_are_refused(body: bytes) -> None:
    marked = body.replace(b"0", f"\r\n--{BOUNDARY}".encode()).replace(b"1", b"--\r\n")
    for headers in (URLENCODED, {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}):
        with contextlib.suppress(WebhookUnreadable):
            assert isinstance(read_form(InboundRequest(headers, marked)), PostedForm)


PARTS: Final = multipart([("dkim", "none"), ("text", "x")]).body
LINE: Final = f"\r\n--{BOUNDARY}".encode()


@each(
    (
        (b"x", b"x" + LINE + b"--\r\nhidden"),  # a false boundary hides the rest
        (b"x", b"x" + LINE + b"--"),
        (b"x", b"x" + LINE + b" \r\n"),
        (b"x", b"x" + LINE + b"X"),
        (b"x", b"x" + LINE),
        (b"--\r\n", b"--\r\nmore"),
        (b"--\r\n", b""),
        (b"form-data; ", b""),
        (b'name="dkim"', b"named"),
    )
)
def test_a_form_that_may_hide_something_is_refused(old: bytes, new: bytes) -> None:
    body = PARTS[::-1].replace(old[::-1], new[::-1], 1)[::-1] if old == b"--\r\n" else None
    request = multipart([]), body or PARTS.replace(old, new, 1)

    with pytest.raises(WebhookUnreadable, match="form_broken"):
        read_form(InboundRequest(request[0].headers, request[1]))


def test_a_field_that_came_twice_is_known_to_have() -> None:
    twice = read_form(multipart([("dkim", "a"), ("dkim", "b"), ("spf", "c")]))

    assert (twice.text("dkim"), twice.only("dkim"), twice.only("spf")) == ("a", None, "c")


def test_a_form_has_so_many_parts_and_a_line_so_many_bytes() -> None:
    many = multipart([("a", "b")] * (MAX_PARTS + 1))
    with pytest.raises(WebhookUnreadable, match="form_too_many_parts"):
        read_form(many)
    with pytest.raises(WebhookUnreadable, match="form_too_many_parts"):
        read_form(InboundRequest(URLENCODED, b"&".join([b"a=b"] * (MAX_PARTS + 1))))

    form = read_form(InboundRequest(URLENCODED, b"a=%C3%A9+t%C3%A9&a=2&empty=&none"))
    assert form.text("a") == "é té"
    assert form.text("a", 2) == "é"
    assert (form.only("a"), form.only("empty"), form.text("none")) == (None, "", None)


def _seconds(make: Callable[[int], bytes], size: int, headers: dict[str, str]) -> float:
    request = InboundRequest(headers, make(size))
    started = time.process_time()
    with contextlib.suppress(WebhookUnreadable):
        read_form(request).text("text", 400_000)
    return time.process_time() - started


@each(
    (
        (lambda n: b"text=" + b"%41" * (n // 3),),
        (lambda n: b"=" * n,),
        (lambda n: PARTS.replace(b"x", LINE * (n // len(LINE)), 1),),
        (lambda n: PARTS.replace(b"x", LINE[:-1] * (n // len(LINE)), 1),),
        (lambda n: PARTS.replace(b"x", b"\r\n" * (n // 2), 1),),
        (lambda n: PARTS.replace(b"x", LINE + b" " * n, 1),),
        (lambda n: PARTS.replace(b'"dkim"', b'"' + b'\\"; ' * (n // 4) + b'"', 1),),
        (lambda n: b"\r\n" * (n // 2) + PARTS,),
    )
)
def test_time_grows_with_the_length_alone(make: Callable[[int], bytes]) -> None:
    headers = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    if make(9).startswith((b"text", b"=")):
        headers = URLENCODED
    # A quadratic parser needs minutes instead of a fraction of a second.
    assert _seconds(make, 2 * MEGABYTE, headers) < 2


def _semicolons(parts: int, header: int) -> InboundRequest:
    """Return a form with so many parts, each with a header of so many semicolons."""
    return multipart([(f'x"{";" * header}"', "")] * parts)


MANY: Final = f"multipart/form-data; boundary={BOUNDARY}" + ";" * 21


@each(
    (
        (_semicolons(15, 3_900),),
        (_semicolons(490, 3_900),),
        (_semicolons(490, 1_001),),
        (_semicolons(490, 21),),
        (InboundRequest({"content-type": MANY}, PARTS),),
    )
)
def test_headers_of_semicolons_are_refused(request: InboundRequest) -> None:
    """The library takes quadratic time to read a header's parameters: 2 MB of them take 3 s."""
    started = time.thread_time()
    with pytest.raises(WebhookUnreadable, match="form_broken"):
        read_form(request)
    assert time.thread_time() - started < 0.3


def test_a_file_name_may_be_long_and_contain_semicolons() -> None:
    name = "a;" * 18 + "é" * 200 + ".pdf"

    form = read_form(multipart([], [AttachedFile(name, "application/pdf", b"x")]))

    assert [file.filename for file in form.files] == [name]


def test_a_small_form_of_the_worst_headers_costs_little() -> None:
    """A body of this size is read on the event loop."""
    request = multipart([("x" + ";" * 15 + "a" * 100, "")] * 300)
    assert len(request.body) < 64 * 1024
    started = time.thread_time()
    read_form(request)
    assert time.thread_time() - started < 0.25
