"""The curl lines of docs/accounts.md, as they stand there."""

import itertools
import re
import shlex
from pathlib import Path

import httpx

from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.servers.mail import MailServer

DOCUMENT = Path(__file__).parents[3] / "docs" / "accounts.md"


def curl_lines() -> list[str]:
    return list(re.findall(r"```\n(curl.*?)```", DOCUMENT.read_text(), re.DOTALL))


async def run(engine: LiveEngine, line: str, **variables: str) -> httpx.Response:
    """What curl would send, with the shell's variables put in."""
    for name, value in variables.items():
        line = line.replace(f"'${name}'", value)
    words = shlex.split(line.replace("\\\n", " "))
    given = dict(itertools.pairwise(words))
    (url,) = (word for word in words if word.startswith("$ENGINE"))
    name, _, value = given["-H"].partition(": ")
    return await engine.http.request(
        given["-sX"], url.removeprefix("$ENGINE"), headers={name: value}, content=given["-d"]
    )


async def test_the_curl_lines_work(engine: LiveEngine, mail: MailServer) -> None:
    signup, verify, refresh, sign_out = curl_lines()

    assert (await run(engine, signup)).status_code == 202
    code = code_in(await mail_to(mail, "anne@shop.example"))
    entered = await run(engine, verify, CODE=code)
    assert entered.status_code == 200, entered.text
    renewed = await run(engine, refresh, REFRESH_TOKEN=entered.json()["refresh_token"])
    assert renewed.status_code == 200, renewed.text
    out = await run(engine, sign_out, REFRESH_TOKEN=renewed.json()["refresh_token"])
    assert out.status_code == 204, out.text
