"""The OpenAPI document of the account routes, tested against the service as the owner."""

from pathlib import Path

import pytest

from embedded.ports import free_port
from tests.contract.schemathesis_run import is_ready, run_schemathesis
from tests.support.cases.cases import CASE_FILE, CASE_RUNS, CASES
from tests.support.content.suggestions import SUGGESTIONS
from tests.support.core.deadlines import SLOW_S
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.integrations.senders import MAIL_SENDER
from tests.support.tenants.access import AUDIT
from tests.support.tenants.account import (
    CLIENTS,
    INVITATIONS,
    KEYS,
    ME,
    MEMBERS,
    PLAYBOOK_FILE,
    PLAYBOOKS,
    SESSIONS,
    new_member,
)
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop

ACCOUNT = (
    KEYS,
    MEMBERS,
    INVITATIONS,
    PLAYBOOKS,
    PLAYBOOK_FILE,
    SESSIONS,
    ME,
    CLIENTS,
    AUDIT,
    SUGGESTIONS,
    MAIL_SENDER,
    CASES,
    CASE_RUNS,
    CASE_FILE,
    "/api/dashboard/loosenings",
)
EXAMPLES = 15
# Valid requests that were really answered.
FLOORS = {
    ("POST", KEYS, 201): 1,
    ("GET", KEYS, 200): 1,
    ("GET", MEMBERS, 200): 1,
    ("GET", PLAYBOOKS, 200): 1,
    ("GET", f"{PLAYBOOKS}/ID", 200): 1,
    ("GET", AUDIT, 200): 1,
    ("POST", CASES, 201): 1,
    ("GET", CASES, 200): 1,
    ("GET", CASE_RUNS, 200): 1,
}


@pytest.mark.slow
@pytest.mark.timeout(SLOW_S)
async def test_the_accounts_routes_keep_to_their_document(
    front: LiveEngine, shop: Shop, tmp_path: Path, *, thorough: bool
) -> None:
    settings, port = front.settings, free_port()
    assert settings.identity.session_key is not None
    member = await new_member(front, shop)
    serve = ("-m", "tests.support.core.patient_api", "serve", "--port", str(port))
    key = settings.identity.session_key.get_secret_value()
    with process("api", *serve, settings=settings, folder=tmp_path, SESSION_KEY=key):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: is_ready(url))
        answers = await run_schemathesis(
            url,
            tmp_path,
            "--include-path-regex", f"^({'|'.join(ACCOUNT)})",
            token=session_token(settings, shop.owner_user_id),
            config="account.toml",
            hooks="account_hooks",
            whole=thorough,
            examples=EXAMPLES,
            client_id=shop.client_id,
            key_id=shop.key_id,
            playbook_id=shop.playbook_id,
            user_id=member,
        )  # fmt: skip

    for (method, path, status), floor in FLOORS.items():
        assert answers[method, path, status] >= floor, (method, path, answers)
