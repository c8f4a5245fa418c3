"""Every regular expression of the product takes about linear time, even in an adversarial text.

CPython's `re` backtracks: a search for `word*x` takes quadratic time in a text without an x. The
event loop, and every client with it, waits for the search.
"""

import json
import subprocess
import sys
from typing import Any, Final

import pytest

from tests.support.core.slow_patterns import MAX_CHARS, MOST_S, ROOT

# Patterns that see only shorter texts: the beginning of the file's name, a part of the pattern, the
# length of the longest text, and the reason.
SHORTER: Final = (
    ("domain/agent/consent/", "", 2_000, "MAX_ANSWER_CHARS: a longer answer is not parsed"),
    ("domain/agent/speech/grammar.py", "", 8_000, "READ_CHARS: one letter for each word"),
    ("domain/core/strict_yaml.py", "[eE][-+]?", 1, "PyYAML calls match: one start, not many"),
    ("domain/intake/mail_sender.py", "[+=].*", 256, "the local part of a checked address"),
    ("domain/cases/anonymized.py", "{3,}(?=.*", 256, "one order number"),
)
# The patterns that attackers used against earlier versions.
KNOWN: Final = (
    r"<!--(?!\s{0,5}/?wp:)[^<>]{0,40}\w{3,}[^<>]{0,400}-->",
    r"(?<![\w.,-])(?:\d{1,3}(?:[ .,]\d{3})+|\d{1,9})(?:[.,]\d{1,2})?[ ]?(?:[€$£¥](?![ ]?\d)|/-)",
    r"(?s)(\w*(?:Error|Exception|Interrupt|Exit))\([\"'(\[{].*\)",
    r"(?s)\{\{.*?\}\}",
    r"champ « (.+?) »",
    r"(?:full |your |the )*(?:refund|repayment)",
    r"(?:a+)+b",
    r"\s+$",
)
LINEAR: Final = (
    r"<!--(?!\s{0,5}/?wp:)(?=[^<>]{0,40}?\w{3})[^<>]*+(?<=--)>",
    r"(?<!\w)\w*(?:Error|Exit)\(",
    r"\{\{[^{}]*\}\}",
    r"(?<!\S)(?:full |your |the ){0,8}(?:refund|repayment)",
)


def _slow(**given: Any) -> tuple[list[dict[str, Any]], int]:
    """Return the slow patterns, and the number of examined patterns."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.core.slow_patterns", json.dumps(given)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    *slow, end = map(json.loads, done.stdout.splitlines())
    return slow, end["patterns"]


@pytest.mark.alone
def test_every_pattern_takes_linear_time() -> None:
    slow, count = _slow(shorter=[one[:3] for one in SHORTER])

    assert count > 500
    assert not slow, "\n".join(
        f"{one['places']}: {one['seconds']} s for {one['chars']} characters, at most {MOST_S} s: "
        f"{one['pump']}: {one['pattern'][:200]}"
        for one in slow
    )


@pytest.mark.alone
def test_the_patterns_of_known_attacks_are_found() -> None:
    slow, _ = _slow(only=[*KNOWN, *LINEAR])

    assert {one["pattern"] for one in slow} == set(KNOWN)


def test_the_exceptions_are_short_texts() -> None:
    assert all(chars < MAX_CHARS and reason for _, _, chars, reason in SHORTER)
