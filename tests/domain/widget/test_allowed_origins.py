"""The sites that may show the widget: one spelling each, and an error for each invalid one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.widget.allowed_origins import MAX_ORIGINS, ORIGIN, check_origins
from domain.widget.errors import InvalidWidget


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://shop.example", "https://shop.example"),
        (" HTTPS://Shop.EXAMPLE:443 ", "https://shop.example"),
        ("https://shop.example:8443", "https://shop.example:8443"),
        ("https://été.example", "https://xn--t-9fab.example"),
        ("https://ＳＨＯＰ.example", "https://shop.example"),
        ("https://my_shop.example", "https://my_shop.example"),
        ("https://192.0.2.7", "https://192.0.2.7"),
        ("https://[2001:DB8:0::7]:444", "https://[2001:db8::7]:444"),
        ("https://intranet", "https://intranet"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://shop.localhost:80", "http://shop.localhost"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_one_spelling(written: str, kept: str) -> None:
    assert check_origins([written, kept]) == (kept,)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "https://host"),
        ("*", "https://host"),
        ("null", "https://host"),
        ("shop.example", "https://host"),
        ("ftp://shop.example", "https://host"),
        ("file:///etc", "https://host"),
        ("https://shop.example/", "https://host"),
        ("https://shop.example/chat", "https://host"),
        ("https://shop.example?x", "https://host"),
        ("https://shop.example#x", "https://host"),
        ("https://user@shop.example", "https://host"),
        ("https://user:secret@shop.example", "https://host"),
        ("https://shop.example\\@evil.example", "https://host"),
        ("https://shop.example evil.example", "https://host"),
        ("https://shop.example\r\nX: y", "https://host"),
        ("https://" + "x." * 200 + "example", "https://host"),
        ("https://[::1", "https://host"),
        ("https://*.shop.example", "not a host name"),
        ("https://-shop.example", "not a host name"),
        ("https://shop..example", "not a host name"),
        ("https://shop.example.", "not a host name"),
        ("https://shop\x00.example", "not a host name"),
        ("https://" + "x" * 64 + ".example", "not a host name"),
        ("https://ⅷ\u200d\u0301.example", "not a host name"),
        ("https://127.1", "not a host name"),
        ("https://0x7f000001", "not a host name"),
        ("https://[12345::]", "not a host name"),
        ("https://shop.example:0", "no such port"),
        ("https://shop.example:65536", "no such port"),
        ("http://shop.example", "http is for this machine only"),
        ("http://localhost.evil.example", "http is for this machine only"),
        ("http://192.168.0.1", "http is for this machine only"),
        ("http://[2001:db8::1]", "http is for this machine only"),
    ],
)
def test_what_is_no_origin(written: str, why: str) -> None:
    with pytest.raises(InvalidWidget) as refused:
        check_origins(["https://shop.example", written])
    assert f"no. 2: {why}" in str(refused.value)
    assert "n° 2, " in refused.value.reason
    assert "evil" not in str(refused.value) + refused.value.reason


def test_every_bad_one_is_named() -> None:
    with pytest.raises(InvalidWidget) as refused:
        check_origins(["http://a.example", "https://b.example", "c"])
    assert refused.value.reason == (
        "allowed_origins : n° 1, http n'est permis que pour localhost ; "
        "n° 3, https://hôte[:port] attendu"
    )


def test_at_most_twenty() -> None:
    sites = [f"https://shop{number}.example" for number in range(MAX_ORIGINS)]
    assert check_origins(sites) == tuple(sites)
    with pytest.raises(InvalidWidget, match="at most 20"):
        check_origins([*sites, "https://one.more.example"])


@given(st.from_regex(ORIGIN, fullmatch=True).filter(lambda text: len(text) < 60))
def test_what_the_document_promises_is_taken(origin: str) -> None:
    (kept,) = check_origins([origin])
    assert check_origins([kept]) == (kept,)


@given(st.text(max_size=400))
def test_any_text_is_taken_once_or_refused(text: str) -> None:
    try:
        (kept,) = check_origins([text])
    except InvalidWidget:
        return
    assert check_origins([kept]) == (kept,)
    assert kept.isascii()
    assert kept == kept.lower()
