"""Expensive or unusual YAML documents, keyed by the property that they test."""

from collections.abc import Callable, Mapping
from typing import Final

from hypothesis import strategies as st


def _repeated(head: str, unit: str, tail: str = "") -> Callable[[int], str]:
    return lambda size: head + unit * (max(0, size - len(head) - len(tail)) // len(unit)) + tail


SHAPES: Final[Mapping[str, Callable[[int], str]]] = {
    "base_60": _repeated("a: ", "1:", "1"),
    "base_60_float": _repeated("a: ", "1:", "1.5"),
    "digits": _repeated("a: ", "9"),
    "octal": _repeated("a: 0", "7"),
    "hexadecimal": _repeated("a: 0x", "f"),
    "underscores": _repeated("a: 1", "_1"),
    "float": _repeated("a: 1.", "9"),
    "exponent": _repeated("a: 1e", "9"),
    "tagged_int": _repeated("a: !!int ", "1:", "1"),
    "tagged_float": _repeated("a: !!float ", "9"),
    "list": _repeated("a: [", "1,", "]"),
    "lines": _repeated("", "- 1\n"),
    "brackets": _repeated("", "["),
    "braces": _repeated("", "{a: "),
    "question_marks": _repeated("", "? "),
    "dashes": _repeated("", "- "),
    "quotes": _repeated("a: '", "''"),
    "escapes": _repeated('a: "', "\\u0041", '"'),
    "folded": _repeated("a: >\n", " a\n\n"),
    "literal": _repeated("a: |\n", " a\n"),
    "comments": _repeated("", "# a\n"),
    "documents": _repeated("", "---\n"),
    "tags": _repeated("a: !", "a"),
    "directives": _repeated("", "%TAG ! !\n"),
    "spaces": _repeated("a:", " ", "b"),
    "aliases": _repeated("a: &a b\nc: [", "*a,", "]"),
    "long_key": _repeated("? ", "k", "\n: 1"),
}

_PIECES: Final = (
    *("a", "1", ":", ": ", "\n", "  ", "- ", "? ", "[", "]", "{", "}", ",", "'", '"', "\\", "|"),
    *(">", "#", "&a ", "*a ", "!", "!!int ", "!!float ", "!!bool ", "!!null ", "!!str ", "!!map "),
    *("!!seq ", "!!set ", "!!omap ", "!!binary ", "!!timestamp ", "!!merge ", "!!value ", "<<: "),
    *("=", "=: ", "~", "yes", "0x1", "010", "1_0", ".inf", ".nan", "1:2", "1e9", "2026-01-01"),
    *("---\n", "...\n", "%YAML 1.1\n", "\t", "\x00", "\x85", "\ufeff", "\U0001f600", "9" * 19),
)


def fragments() -> st.SearchStrategy[str]:
    """Draw texts of YAML tokens in any order, which test more than random characters."""
    return st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)
