"""One spelling per mailbox: look-alikes are different addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity.address import MAX_ADDRESS, sign_in_address
from domain.identity.errors import InvalidAddress


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Anne@Shop.Example", "anne@shop.example"),
        (" anne@shop.example ", "anne@shop.example"),
        ("anne+invoices@shop.example", "anne+invoices@shop.example"),
        ("o'brien.x_y@mail.shop.example", "o'brien.x_y@mail.shop.example"),
        # An internationalized domain is compared and used in its ASCII form.
        ("anne@bücher.example", "anne@xn--bcher-kva.example"),
        ("anne@XN--BCHER-KVA.example", "anne@xn--bcher-kva.example"),
        # Full-width letters in a domain mean the same domain in the DNS.
        ("anne@ｓｈｏｐ.example", "anne@shop.example"),
        ("anne@shop。example", "anne@shop.example"),
        ("a@" + "b" * 60 + ".example", "a@" + "b" * 60 + ".example"),
    ],
)
def test_one_spelling(typed: str, kept: str) -> None:
    assert sign_in_address(typed) == kept
    assert sign_in_address(kept) == kept


def test_a_domain_that_looks_like_another_is_another() -> None:
    """The first letter is Cyrillic; in the second, the i has no dot."""
    assert sign_in_address("anne@аpple.example") == "anne@xn--pple-43d.example"
    assert sign_in_address("anne@gıthub.example") != "anne@github.example"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "anne",
        "anne@",
        "@shop.example",
        "anne@shop",
        "anne@localhost",
        "anne@127.0.0.1",
        "anne@[127.0.0.1]",
        "anne@shop..example",
        "anne@-shop.example",
        "anne@shop.example.",
        ".anne@shop.example",
        "an..ne@shop.example",
        "anne @shop.example",
        '"an ne"@shop.example',
        "anne@shop.example, eve@evil.example",
        "anne@shop.example\r\nBcc: eve@evil.example",
        "anne\n@shop.example",
        "anne\0@shop.example",
        "<anne@shop.example>",
        "Anne <anne@shop.example>",
        "anne@eve@shop.example",
        # Local parts that resemble a known one: Cyrillic, full-width, a Kelvin sign, mixed.
        "аnne@shop.example",
        "ａnne@shop.example",
        "\u212aarl@shop.example",
        "anné@shop.example",
        "anne\u200b@shop.example",
        "anne\u202e@shop.example",
        "a" * 65 + "@shop.example",
        "a@" + "b" * 64 + ".example",
        "a@" + ("b" * 50 + ".") * 5 + "example",
    ],
)
def test_what_is_no_address(typed: str) -> None:
    with pytest.raises(InvalidAddress):
        sign_in_address(typed)


@given(st.text(max_size=300) | st.emails())
def test_what_is_taken_is_plain_and_stays(typed: str) -> None:
    try:
        kept = sign_in_address(typed)
    except InvalidAddress:
        return
    assert kept.isascii()
    assert kept.isprintable()
    assert len(kept) <= MAX_ADDRESS
    assert not set(kept) & set(' "(),:;<>@[\\]') - {"@"}
    assert kept.count("@") == 1
    assert sign_in_address(kept) == kept
