"""The curl commands in a document, as a shell parses them."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import httpx

from tests.support.core.forks import ROOT

# A shell function that replaces curl. It prints each argument, and a line break after the last one.
_CURL: Final = "curl() { printf '%s\\0' \"$@\"; printf '\\n\\0'; }\n"
_SERVICE: Final = re.compile(r"(https?://(127\.0\.0\.1:8080|HOST|support\.example\.com))(?=/)")


@dataclass(frozen=True, slots=True)
class CurlCall:
    """The request that a curl command sends."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str | None

    async def send(self, http: httpx.AsyncClient) -> httpx.Response:
        return await http.request(
            self.method, self.url, headers=list(self.headers), content=self.body
        )


def curl_blocks(document: str, section: str = "") -> list[str]:
    """Return the code blocks with a curl command, in a document or one of its sections."""
    text = (ROOT / document).read_text()
    if section:
        text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for block in blocks if re.search(r"^curl ", block, re.MULTILINE)]


def curl_commands(document: str, section: str = "") -> Iterator[str]:
    """Return the curl commands one by one, each with the preceding variable assignments."""
    for block in curl_blocks(document, section):
        text = re.sub(r"^\.venv/bin/python .*\n", "", block, flags=re.MULTILINE)
        first, *others = re.split(r"^(?=curl )", text, flags=re.MULTILINE)
        for number, command in enumerate(others):
            yield f"{first}{command}" if number == 0 else command


def curl_call(command: str, **variables: str) -> CurlCall:
    """Return the request of the command when a shell runs it with these variables."""
    done = subprocess.run(
        ["bash", "-euc", _CURL + command],
        env={"PATH": os.environ["PATH"], "ENGINE": "", **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    words = done.stdout.removesuffix("\0").split("\0")
    assert words.pop() == "\n"
    method, body, url = "", None, ""
    headers: list[tuple[str, str]] = []
    while words:
        match words.pop(0):
            case "-s" | "-OJ":
                pass
            case "-X" | "-sX":
                method = words.pop(0)
            case "-o":
                words.pop(0)
            case "-H":
                name, _, value = words.pop(0).partition(": ")
                headers.append((name, value))
            case "-d" | "--data-binary":
                body = words.pop(0)
            case word:
                assert not url, f"two addresses, or an unknown option: {word}"
                url = _SERVICE.sub("", word)
    return CurlCall(method or ("GET" if body is None else "POST"), url, tuple(headers), body)
