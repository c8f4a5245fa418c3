"""The HTML part of emails: the same text, nothing else, and no external content."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.core.contrast import readable_on
from domain.core.html_mail import SERVICE_COLOR, mail_html

HOSTILE = (
    "<img src=https://evil.example/x.png onerror=alert(1)>",
    "</p></td><script>alert(1)</script>",
    "\"><svg/onload=alert(1)>",
    "<style>*{display:none}</style>",
    "&lt;b&gt; & &amp;",
)  # fmt: skip


class _Reader(HTMLParser):
    """Parses the HTML as an email program does."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._skipping = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._skipping = tag in ("style", "title")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - as HTMLParser has it
        self._skipping = False

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.words.append(data)


def read(text: str, sender: str = "Shop", color: str | None = None) -> _Reader:
    reader = _Reader()
    reader.feed(mail_html(text, title="Re: <b>", sender=sender, color=color))
    reader.close()
    return reader


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "table", "tr", "td", "p", "br", "a",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_text_never_becomes_markup(text: str) -> None:
    reader = read(text, sender=text)
    assert {tag for tag, _ in reader.tags} <= ALLOWED
    assert "".join(reader.words).count(text) == 2


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.just("\n"), max_size=300))
def test_any_text_is_shown_word_by_word(text: str) -> None:
    assume("\n-- \n" not in text)
    reader = read(text, sender="")
    assert {tag for tag, _ in reader.tags} <= ALLOWED
    shown, given_ = ("".join(one.split()) for one in ("".join(reader.words), text))
    assert shown == given_


def test_nothing_is_loaded_from_elsewhere() -> None:
    html = mail_html("See https://shop.example/a.", title="x", sender="Shop", color="#0b5d4e")
    assert not re.search(r"\b(?:src|background|srcset)=|url\(|@import|<(?:img|link|script)", html)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See (https://shop.example/a?b=1&c=2#d), or http://x.example.",
         ["https://shop.example/a?b=1&c=2#d", "http://x.example"]),
        ("javascript:alert(1) data:text/html,x", []),
        ("https://bank.example@evil.example/", []),
        ("https://[", []),
        ('https://shop.example/"onclick="x', ["https://shop.example/"]),
    ],
)  # fmt: skip
def test_only_web_addresses_become_links(text: str, links: list[str]) -> None:
    found = [facts["href"] for tag, facts in read(text).tags if tag == "a"]
    assert found == links


def test_paragraphs_lines_and_the_signature() -> None:
    text = "Hello,\n\nOne\ntwo.\n\n-- \nLéa\nChez Nous\n"
    html = mail_html(text, title="x", sender="S", color=None)
    assert html.count("<p ") == 3
    assert "One<br>two." in html
    assert 'class="muted"' in html
    assert "Léa<br>Chez Nous" in html
    assert "-- " not in html.partition("<body")[2]


@pytest.mark.parametrize(("color", "band"), [("#ffee00", "#ffee00"), (None, SERVICE_COLOR)])
def test_the_merchants_color_with_readable_text(color: str | None, band: str) -> None:
    html = mail_html("Hi", title="x", sender="Chez Nous", color=color)
    assert f"background:{band};color:{readable_on(band)}" in html
    assert "prefers-color-scheme: dark" in html


@pytest.mark.parametrize(
    "link",
    [
        "https://shop.exаmple/x",  # a Cyrillic letter
        "https://a" + "\u0301\u0316" * 10_000,
        "https://" + "a" * 400 + ".example/",
    ],
)
def test_a_host_that_is_not_plain_is_no_link(link: str) -> None:
    assert "<a " not in mail_html(link, title="t", sender="s", color=SERVICE_COLOR)


def test_a_path_with_accents_is_a_link() -> None:
    page = mail_html("https://shop.example/été", title="t", sender="s", color=SERVICE_COLOR)

    assert '<a href="https://shop.example/été"' in page
