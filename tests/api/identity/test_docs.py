"""The curl commands in docs/accounts.md."""

import httpx

from tests.support.core.document_curls import curl_call, curl_commands
from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.servers.mail import MailServer


async def run(engine: LiveEngine, line: str, **variables: str) -> httpx.Response:
    return await curl_call(line, **variables).send(engine.http)


async def test_the_curl_lines_work(engine: LiveEngine, mail: MailServer) -> None:
    signup, verify, refresh, sign_out = curl_commands("docs/accounts.md")

    assert (await run(engine, signup)).status_code == 202
    code = code_in(await mail_to(mail, "anne@shop.example"))
    entered = await run(engine, verify, CODE=code)
    assert entered.status_code == 200, entered.text
    renewed = await run(engine, refresh, REFRESH_TOKEN=entered.json()["refresh_token"])
    assert renewed.status_code == 200, renewed.text
    out = await run(engine, sign_out, REFRESH_TOKEN=renewed.json()["refresh_token"])
    assert out.status_code == 204, out.text
