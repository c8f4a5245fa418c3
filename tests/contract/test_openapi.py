"""The OpenAPI document, tested against the service: schemathesis with all checks, bounded."""

from pathlib import Path

import pytest

from embedded.ports import free_port
from tests.contract.schemathesis_run import is_ready, run_schemathesis
from tests.contract.test_account import ACCOUNT
from tests.contract.test_learning import LEARNING
from tests.support.analytics.reports import CHURN, INSIGHT, METRICS
from tests.support.content.content import (
    INTEGRATIONS,
    KNOWLEDGE,
    SETTINGS,
    STARTERS,
    TEMPLATES,
    WIDGET,
)
from tests.support.core.deadlines import SLOW_S
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.exports.export import EXPORT
from tests.support.reviews.dashboard import REVIEWS
from tests.support.tenants.access import (
    AUTOMATION,
    BUSINESS_HOURS,
    CHECKOUTS,
    CONVERSATIONS,
    CREDITS,
    CUSTOMERS,
    INBOX,
    PLAN,
    REPLIES,
    RUNS,
)
from tests.support.tenants.access import USAGE as BILLED
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import WEBHOOKS
from tests.support.widget.page import with_widget

EXAMPLES = 60
# Routes that other tests in this folder cover.
ELSEWHERE = (
    REVIEWS,
    WEBHOOKS,
    TEMPLATES,
    STARTERS,
    KNOWLEDGE,
    SETTINGS,
    WIDGET,
    INTEGRATIONS,
    METRICS,
    CHURN,
    INSIGHT,
    EXPORT,
    INBOX,
    PLAN,
    CREDITS,
    CHECKOUTS,
    f"{BILLED}$",
    AUTOMATION,
    # The combinations of its nested schema take over ten minutes: tests/api/tenants.
    BUSINESS_HOURS,
    CONVERSATIONS,
    REPLIES,
    CUSTOMERS,
    f"{RUNS}/[^/]+$",
    *ACCOUNT,
    *LEARNING,
    # A client has one import at a time, of a site that exists: tests/api/content.
    "/api/dashboard/site-imports",
    # No document states which file exists: tests/api/intake.
    "/api/dashboard/attachments/",
    # The token belongs to a member: tests/api/tenants.
    "/api/operator/",
    # No document states which webhooks were received, or who requested data: tests/api/inbound.
    "/api/dashboard/(inbound|data-requests|polls)",
    # No document states a platform's signature: tests/api/inbound, tests/api/billing.
    "/api/(webhooks|payments)/",
    # No document states a valid code or key: tests/api/identity.
    "/api/mcp/",
    # No document states which address can sign in, or which code is valid: tests/api/identity.
    "/api/auth/",
    "/api/widget/(email|verify|messages|seen|rating|attachments)",
)
# About half of a normal run: valid requests that were really answered.
FLOORS = {
    ("POST", "/api/engine/gateway"): 60,
    ("GET", "/api/billing/usage"): 30,
    # 120 requests a minute, most of which have an invalid filter.
    ("GET", RUNS): 15,
    # 30 messages from one address in ten minutes.
    ("POST", "/api/widget/chat"): 15,
    ("GET", "/api/widget/config"): 1,
}


@pytest.mark.timeout(SLOW_S)
async def test_the_service_keeps_to_its_document(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, *, thorough: bool
) -> None:
    """Real processes and HTTP: no 5xx, and no undocumented response. The owner's session token
    gives access to every route."""
    settings, port = idle_engine.settings, free_port()
    assert settings.identity.session_key is not None
    token = session_token(settings, shop.owner_user_id)
    widget_key = await with_widget(idle_engine.database, shop)
    serve = ("cli.py", "serve", "--port", str(port))
    with (
        process(
            "api",
            *serve,
            settings=settings,
            folder=tmp_path,
            DRY_RUN_LIMIT="10000",
            SESSION_KEY=settings.identity.session_key.get_secret_value(),
        ),
        process("worker", "worker.py", settings=settings, folder=tmp_path),
    ):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: is_ready(url, workers=True), 120)
        answers = await run_schemathesis(
            url,
            tmp_path,
            "--exclude-path-regex", f"^({'|'.join(ELSEWHERE)})",
            token=token,
            config="schemathesis.toml",
            hooks="schemathesis_hooks",
            whole=thorough,
            examples=EXAMPLES,
            client_id=shop.client_id,
            widget_key=widget_key,
        )  # fmt: skip

    for (method, path), floor in FLOORS.items():
        assert answers[method, path, 200] >= (floor if thorough else 1), answers
