"""Each curl command in the documents works as described; it is parsed as a shell would."""

from typing import Final

import pytest

from tests.support.core.document_curls import curl_blocks, curl_call, curl_commands
from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT
from tests.support.inbound.signed import open_sender
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop

# Other tests run the commands of documents that need an email or a stream.
ELSEWHERE: Final = {
    "docs/accounts.md": "tests/api/identity/test_docs.py",
    "docs/widget.md": "tests/e2e/widget/test_storefront_visit.py",
    "docs/widget.fr.md": "tests/e2e/widget/test_storefront_visit.py",
    "docs/inbound/generic.md": "tests/api/core/test_document_curls.py",
}


def documents() -> list[str]:
    found = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    names = (path.relative_to(ROOT).as_posix() for path in sorted(found))
    return [name for name in names if curl_blocks(name)]


def test_each_command_is_run_by_a_test() -> None:
    assert set(ELSEWHERE) <= set(documents())
    for document, test in ELSEWHERE.items():
        assert document.rpartition("/")[2].replace(".fr", "") in (ROOT / test).read_text()
    english, french = (
        [line for block in curl_blocks(name) for line in block.splitlines()]
        for name in ("docs/widget.md", "docs/widget.fr.md")
    )
    assert english == french


@pytest.mark.parametrize("document", [name for name in documents() if name not in ELSEWHERE])
async def test_the_commands_succeed(engine: LiveEngine, shop: Shop, document: str) -> None:
    token = session_token(engine.settings, shop.owner_user_id)
    known = {
        "TOKEN": token,
        "SESSION": token,
        "KEY": shop.key,
        "KEY_ID": shop.key_id,
        "CLIENT_ID": shop.client_id,
    }
    for command in curl_commands(document):
        call = curl_call(command, **known)
        answer = await call.send(engine.http)
        assert answer.is_success, (command, answer.status_code, answer.text)
        if (call.method, call.url) == ("POST", "/api/dashboard/playbooks"):
            known["PLAYBOOK_ID"] = answer.json()["id"]


async def test_a_signed_webhook_is_sent_from_a_shell(engine: LiveEngine, shop: Shop) -> None:
    sender = await open_sender(engine.database, shop, engine.settings)
    (command,) = curl_commands("docs/inbound/generic.md")

    call = curl_call(command, ADDRESS=sender.path, SECRET=sender.secret)
    assert (await call.send(engine.http)).status_code == 200
    forged = curl_call(command, ADDRESS=sender.path, SECRET="whsec_" + "00" * 16)
    assert (await forged.send(engine.http)).status_code == 401
