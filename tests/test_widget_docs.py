"""docs/widget.md and its French version are correct: their code creates accepted signatures, and
their numbers, codes and policies match the code."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from api.errors import ANSWERS
from api.schemas.widget.chat import MAX_MESSAGE, ChatStatus
from api.widget_streams import (
    A_CLIENT,
    A_FREE_CLIENT,
    A_NETWORK,
    A_PROCESS,
    A_SESSION,
    AN_ADDRESS,
    LASTS_S,
    SILENCE_S,
)
from demo.storefront import policy_for
from domain.core.errors import DomainError
from domain.identity.mailed_code import (
    CODES_AN_HOUR,
    CODES_AN_HOUR_AT_MOST,
    CODES_AT_MOST,
    PLACE_CODES_AN_HOUR,
    REQUESTER_CODES_AN_HOUR,
    TRIES,
    CodePlace,
    minutes_of,
)
from domain.intake.gateway_limits import PER_CLIENT
from domain.intake.rate_limit import LimitScope, limits
from domain.privacy.contracts import HousekeepingInput
from domain.widget.allowed_origins import MAX_ORIGINS
from domain.widget.shown_message import MESSAGES_A_READ
from domain.widget.signed_user import is_signed, signature_of
from domain.widget.widget import MAX_OVERLAP_HOURS, OVERLAP_HOURS
from domain.widget.widget_session import SESSION_LASTS
from tests.support.core.forks import ROOT

ENGLISH: Final = (ROOT / "docs" / "widget.md").read_text()
FRENCH: Final = (ROOT / "docs" / "widget.fr.md").read_text()
BOTH: Final = pytest.mark.parametrize("text", [ENGLISH, FRENCH], ids=["en", "fr"])
ADDRESSES: Final = ("camille@example.com", "Été+1@Exämple.fr", "a'b\"$c@example.com")

Sign = Callable[[str, str], str]


def blocks(text: str, language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for of, block in found if of == language]


def vector() -> dict[str, str]:
    (block,) = (block for block in blocks(ENGLISH, "") if block.startswith("secret: "))
    return dict(line.split(": ", 1) for line in block.splitlines())


def signs_as_we_do(sign: Sign) -> None:
    given = vector()
    assert sign(given["secret"], given["email"]) == given["signature"]
    for address in ADDRESSES:
        assert is_signed([given["secret"]], address, sign(given["secret"], address)), address


def test_the_vector_is_ours() -> None:
    signs_as_we_do(signature_of)


def test_python() -> None:
    (block,) = blocks(ENGLISH, "python")
    scope: dict[str, Sign] = {}
    exec(block, scope)  # noqa: S102 - the document's own code
    signs_as_we_do(scope["user_signature"])


def said(program: str, source: str, folder: Path) -> str:
    script = folder / "script"
    script.write_text(source)
    done = subprocess.run(
        [program, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(not shutil.which("node"), reason="no node on this machine")
def test_javascript(tmp_path: Path) -> None:
    (block,) = blocks(ENGLISH, "javascript")

    def sign(secret: str, email: str) -> str:
        call = f"userSignature({json.dumps(secret)}, {json.dumps(email)})"
        return said("node", f"{block}\nconsole.log({call});\n", tmp_path)

    signs_as_we_do(sign)


@pytest.mark.skipif(not shutil.which("php"), reason="no php on this machine")
def test_php(tmp_path: Path) -> None:
    (block,) = blocks(ENGLISH, "php")

    def sign(secret: str, email: str) -> str:
        given = f"json_decode('{json.dumps([secret, email]).replace(chr(39), chr(92) + chr(39))}')"
        return said("php", f"{block}\necho user_signature(...{given});\n", tmp_path)

    signs_as_we_do(sign)


def test_both_languages_say_the_same() -> None:
    """Identical code blocks; in tables, the same code cells in the first column, and the same
    number of rows."""
    for language in ("", "html", "csp", "python", "php", "javascript"):
        assert blocks(FRENCH, language) == blocks(ENGLISH, language)
    of_code = r"^\| (`[^|]*|[0-9]+ \| `[^|]*) \|"
    assert re.findall(of_code, FRENCH, re.MULTILINE) == re.findall(of_code, ENGLISH, re.MULTILINE)
    for mark in (r"^\|", r"^#+ ", r"^- "):
        count = [len(re.findall(mark, text, re.MULTILINE)) for text in (FRENCH, ENGLISH)]
        assert count[0] == count[1], mark


def test_the_demos_page_has_the_policy_that_merchants_are_told() -> None:
    (told,) = blocks(ENGLISH, "csp")
    there = dict(part.split(" ", 1) for part in policy_for("https://support.example").split("; "))
    for part in told.strip().split("; "):
        name, _, source = part.partition(" ")
        assert source in there[name].split()


def codes() -> dict[str, int]:
    def below(kind: type[DomainError]) -> set[type[DomainError]]:
        return {kind}.union(*(below(one) for one in kind.__subclasses__()))

    return {kind.code: ANSWERS[kind].status for kind in below(DomainError) if kind in ANSWERS}


@BOTH
def test_errors(text: str) -> None:
    known = codes()
    rows = re.findall(r"^\| (\d{3}) \| ([^|]*) \|", text, re.MULTILINE)
    assert len(rows) > 10
    told = {code: int(status) for status, cell in rows for code in re.findall(r"`(\w+)`", cell)}
    assert told == {code: known[code] for code in told}
    widget = {kind.code for kind in ANSWERS if kind.__module__ == "domain.widget.errors"}
    # Errors of its settings belong to the dashboard.
    assert widget - {"invalid_widget"} <= set(told)


@BOTH
def test_statuses(text: str) -> None:
    table = text.split("| `status` |")[1].split("\n\n", maxsplit=1)[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [one.value for one in ChatStatus]


@BOTH
def test_facts(text: str) -> None:
    """Numbers that the code contains too, in the document's order."""
    table = limits(dry_runs=1)

    def quota(scope: LimitScope, minutes: int) -> int:
        assert table[scope].window.total_seconds() == 60 * minutes
        return table[scope].quota

    minutes = minutes_of(CodePlace.WIDGET, is_shared=False)
    prune = HousekeepingInput()
    assert PER_CLIENT.window.total_seconds() == 3600
    facts = (
        [minutes, TRIES], [OVERLAP_HOURS, MAX_OVERLAP_HOURS], [PER_CLIENT.messages],
        [quota(LimitScope.WIDGET_SESSION, 10), 10],
        [quota(LimitScope.WIDGET_ADDRESS, 10), 10],
        [quota(LimitScope.WIDGET_ADDRESS_DAY, 24 * 60), 24],
        [quota(LimitScope.WIDGET, 1)],
        [A_SESSION, AN_ADDRESS, A_NETWORK, A_CLIENT, A_FREE_CLIENT, A_PROCESS],
        [PLACE_CODES_AN_HOUR, quota(LimitScope.WIDGET_CODE, 60), REQUESTER_CODES_AN_HOUR],
        [CODES_AT_MOST, 24], [CODES_AN_HOUR, CODES_AN_HOUR_AT_MOST],
        [quota(LimitScope.WIDGET_CODE_TRY, 10), 10], [MAX_MESSAGE],
        [prune.widget_sessions_s / 86400, SESSION_LASTS.days],
        [SILENCE_S, LASTS_S / 60],
    )  # fmt: skip
    assert re.search(rf"at most {MAX_ORIGINS} origins|{MAX_ORIGINS} au plus, chacune", text)
    assert re.search(rf"at most {MESSAGES_A_READ}|{MESSAGES_A_READ} au plus", text)
    digits = re.sub(r"(?<=\d)[, ](?=\d{3}\b)", "", " ".join(text.split()))
    assert prune.widget_codes_s == 86400
    for numbers in facts:
        pattern = r"\b[^|0-9]{1,60}?\b".join(f"{number:g}" for number in numbers)
        assert re.search(rf"\b{pattern}\b", digits), numbers
