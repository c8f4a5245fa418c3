"""The displayable part of a model's text, however it is split into deltas."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from domain.copilot.safe_text import REMOVED, Links, SafeText
from tests.support.core.each import each

OURS = "https://app.example/app/runs/01JE3ZK7M2Q8W4R6T9Y1A3C5EG"
DOCUMENT = "docs/webhooks.md#replacing-a-secret"


def shown(text: str, *pieces: str, secret: str = "") -> str:
    links = Links()
    links.add([OURS, DOCUMENT])
    safe = SafeText(links, secret)
    return "".join([*map(safe.add, pieces or (text,)), safe.end()])


@each(
    [
        (f"See {OURS}.", f"See {OURS}."),
        (f"See [run]({OURS}), ok", f"See [run]({OURS}), ok"),
        (f"In {DOCUMENT}:", f"In {DOCUMENT}:"),
        (f"[a]({DOCUMENT})[b](https://evil.example)", f"[a]({DOCUMENT})[b] {REMOVED}"),
        (f"{OURS}?d=1", REMOVED),
        (f"{OURS}/../x", REMOVED),
        ("https://evil.example/x", REMOVED),
        ("![x](https://evil.example/x)", f"[x] {REMOVED}"),
        ("[x](&#104;ttps://evil.example)", f"[x] {REMOVED}"),
        ("[x]( https://evil.example )", f"[x] ( {REMOVED} )"),
        ("[1]: //evil.example", f"[1] : {REMOVED}"),
        ("<img src=//evil.example>", f"\u2039img src={REMOVED}>"),
        ("javascript:alert(1)", f"{REMOVED})"),
        ("www.evil.example", REMOVED),
        ("evil.example/x?y", REMOVED),
        (r"https:\\evil.example", REMOVED),
        ("mail anne@example.com, 1.5 €, 10/12, confidence < 0.7", None),
        ("a.b and x.py, e.g. 12:30 or a/b", None),
    ]
)
def test_links(text: str, expected: str | None) -> None:
    assert shown(text) == (text if expected is None else expected)


@given(st.data())
def test_pieces_make_no_difference(data: st.DataObject) -> None:
    """A link that arrives letter by letter is the same link."""
    parts = st.sampled_from(
        ["https://", "evil.example", "/x", " ", "\n", "](", "[a", ")", "![", "<img ", OURS, "//",
         "www.", "word", "javascript:", "data:", DOCUMENT]
    )  # fmt: skip
    text = "".join(data.draw(st.lists(parts, max_size=12)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    ends = [0, *cuts, len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(ends)]

    found = shown(text, *pieces)

    assert found == shown(text)
    bare = found.replace(OURS, "").replace(DOCUMENT, "")
    assert not re.search(r"//|\bwww\.\w|!\[|<img|javascript:\w|\]\(\S*evil", bare)


def test_instructions_are_not_repeated() -> None:
    secret = "You are the copilot of a merchant and you answer from tools.\n- Never guess."
    text = "Sure: You are the copilot of a merchant and you answer from tools. More."

    assert shown(text, secret=secret) == f"Sure: You are the copilot of a merchant {REMOVED}"
    assert shown("I am the copilot of a merchant.", secret=secret).startswith("I am the")


def test_a_word_without_an_end_is_cut() -> None:
    """In one delta or in many; nested links take linear time."""
    assert shown("x " + "a" * 5_000 + " y") == f"x {REMOVED} y"
    assert len(shown("", *["a" * 100] * 50)) < 2_500
    assert shown("](a)" * 5_000) == REMOVED
    assert shown("](a)" * 500 + " y").endswith(f"{REMOVED} y")
