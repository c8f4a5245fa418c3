"""Addresses of website pages: their normal form, and which of them an import reads."""

import pytest

from domain.content.near_same import Known, same_as
from domain.content.site_address import is_below, is_linked_page, origin_of, page_address

BASE = "https://Shop.example/help/returns"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("shipping", "https://shop.example/help/shipping"),
        ("/a?b=1&utm_source=mail#c", "https://shop.example/a?b=1"),
        ("https://shop.example:443/é à", None),
        ("/é", "https://shop.example/%C3%A9"),
        ("//shop.example/x", "https://shop.example/x"),
        ("https://www.shop.example/x", None),
        ("http://shop.example/x", None),
        ("https://shop.example:8443/x", None),
        ("https://me@shop.example/x", None),
        ("mailto:a@shop.example", None),
        ("javascript:alert(1)", None),
        ("/photo.JPG", None),
        ("https://[bad/x", None),
        ("/" + "a" * 3_000, None),
    ],
)
def test_the_normal_form_of_a_link(href: str, expected: str | None) -> None:
    assert page_address(BASE, href) == expected


def test_the_origin_of_an_address() -> None:
    assert origin_of("HTTPS://A.example:443/x") == "https://a.example"
    assert origin_of("https://a.example:x/") == ""
    assert origin_of("ftp://a.example/") == ""


def test_pages_below_an_address() -> None:
    assert is_below("https://a.example/help/x", "https://a.example/help")
    assert is_below("https://a.example/help/", "https://a.example/help")
    assert not is_below("https://a.example/helpless", "https://a.example/help")
    assert not is_below("https://b.example/help/x", "https://a.example/help")
    start = "https://a.example/pages/faq"
    assert is_linked_page("https://a.example/pages/shipping", start, 1)
    assert not is_linked_page("https://a.example/pages/shipping", start, 2)
    assert not is_linked_page("https://a.example/products/lamp", start, 1)


def test_nearly_the_same_text() -> None:
    words = [f"word{number}" for number in range(100)]
    text = " ".join(words)
    near, far = " ".join([*words[:99], "other"]), " ".join(words[:50] + ["other"] * 50)
    known = (Known("a", "Far", far), Known("b", "Near", near))
    found = same_as("Title", text, known)
    assert found is not None
    assert found.id == "b"
    assert same_as("FÁR", "another text", known) == known[0]
    assert same_as("Title", "another text", known) is None
