"""The OpenAPI document of reviews, webhooks, reports, billing and exports, tested as the owner."""

from pathlib import Path

import pytest

from embedded.ports import free_port
from tests.contract.schemathesis_run import is_ready, run_schemathesis
from tests.support.analytics.reports import CHURN, INSIGHT, METRICS
from tests.support.billing.payments import asked_credits
from tests.support.core.deadlines import SLOW_S
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.customers.regular import a_regular
from tests.support.exports.export import EXPORT
from tests.support.reviews.dashboard import ACTIONS, REVIEWS
from tests.support.reviews.replies import conversation_of, written
from tests.support.reviews.reviews import open_review
from tests.support.reviews.saved_views import saved_view
from tests.support.runs.conversation import write
from tests.support.tenants.access import (
    AUTOMATION,
    CHECKOUTS,
    CONVERSATIONS,
    CREDITS,
    CUSTOMERS,
    INBOX,
    INBOX_VIEWS,
    PLAN,
    REPLIES,
    RUNS,
    USAGE,
)
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import ABOUT_ONE, WEBHOOKS, end
from tests.support.webhooks.webhooks import subscribe, tell

REVIEW_COUNT = 60
DOOMED_COUNT = 40
UNDOABLE_COUNT = 40
VIEW_COUNT = 21
EXAMPLES = 20
INCLUDED = (
    REVIEWS,
    WEBHOOKS,
    METRICS,
    CHURN,
    INSIGHT,
    EXPORT,
    PLAN,
    CREDITS,
    CHECKOUTS,
    f"{USAGE}$",
    AUTOMATION,
    # No schema describes an image, and no document states which file exists: tests/api/runs.
    f"{CONVERSATIONS}(?!/[^/]+/attachments)",
    REPLIES,
    CUSTOMERS,
    INBOX,
    f"{RUNS}/[^/]+$",
)
# Well below the number in a normal run: valid requests that were really answered.
FLOORS = {
    ("GET", REVIEWS, 200): 15,
    ("GET", f"{REVIEWS}/ID", 200): 5,
    **{("POST", f"{REVIEWS}/ID/{what}", 200): 3 for what in ACTIONS},
    ("GET", WEBHOOKS, 200): 5,
    ("GET", METRICS, 200): 3,
    ("GET", CHURN, 200): 5,
    ("GET", INSIGHT, 200): 3,
    ("GET", f"{INSIGHT}/gaps.csv", 200): 3,
    ("GET", EXPORT, 200): 3,
    ("GET", PLAN, 200): 3,
    ("POST", f"{PLAN}/downgrade", 200): 1,
    ("POST", f"{PLAN}/checkout", 409): 1,  # no Stripe account is configured
    ("GET", CREDITS, 200): 3,
    ("POST", f"{AUTOMATION}/stop", 200): 3,
    ("GET", USAGE, 200): 3,
    ("GET", f"{CHECKOUTS}/ID", 200): 3,
    ("POST", WEBHOOKS, 201): 5,
    ("GET", CONVERSATIONS, 200): 5,
    ("GET", f"{CONVERSATIONS}/ID", 200): 3,
    ("PATCH", f"{CONVERSATIONS}/ID", 200): 3,
    ("POST", f"{CONVERSATIONS}/ID/reply", 200): 3,
    ("POST", f"{CONVERSATIONS}/ID/notes", 200): 3,
    ("POST", f"{REPLIES}/ID/undo", 200): 3,
    ("GET", f"{RUNS}/ID", 200): 3,
    ("GET", INBOX, 200): 5,
    ("PATCH", INBOX, 200): 3,
    ("GET", INBOX_VIEWS, 200): 3,
    ("POST", INBOX_VIEWS, 201): 3,
    **{(method, f"{INBOX_VIEWS}/ID", 200): 3 for method in ("GET", "PATCH")},
    ("DELETE", f"{INBOX_VIEWS}/ID", 204): 3,
    ("GET", CUSTOMERS, 200): 5,
    ("GET", f"{CUSTOMERS}/ID", 200): 3,
    ("POST", f"{CUSTOMERS}/ID/data-requests", 200): 3,
}


@pytest.mark.timeout(SLOW_S)
async def test_the_dashboards_routes_keep_to_their_document(
    front: LiveEngine, shop: Shop, tmp_path: Path, *, thorough: bool
) -> None:
    settings, port = front.settings, free_port()
    assert settings.identity.session_key is not None
    reviews = [await open_review(front.database, shop) for _ in range(REVIEW_COUNT)]
    sealer = front.app.state.resources.sealer
    webhook = await subscribe(front.database, shop, sealer=sealer)
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id)
    doomed = [
        (await subscribe(front.database, shop, sealer=sealer)).id for _ in range(DOOMED_COUNT)
    ]
    # In separate conversations: no teammate can answer while a reply can be undone.
    undoable = await write(front.database, shop, key="email:undone@b.example")
    their_talk = await conversation_of(front.database, undoable.event_id)
    replies = [
        await written(front.database, shop, their_talk, f"Réponse {number}")
        for number in range(UNDOABLE_COUNT)
    ]
    asked = await write(front.database, shop)
    serve = ("-m", "tests.support.core.patient_api", "serve", "--port", str(port))
    key = settings.identity.session_key.get_secret_value()
    with process("api", *serve, settings=settings, folder=tmp_path, SESSION_KEY=key):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: is_ready(url))
        answers = await run_schemathesis(
            url,
            tmp_path,
            "--include-path-regex", f"^({'|'.join(INCLUDED)})",
            token=session_token(settings, shop.owner_user_id),
            config="dashboard.toml",
            hooks="dashboard_hooks",
            whole=thorough,
            examples=EXAMPLES,
            client_id=shop.client_id,
            review_ids=",".join(reviews),
            doomed_ids=",".join(doomed),
            reply_ids=",".join(one.id for one in replies),
            run_id=asked.run_id,
            customer_id=await a_regular(front.database, shop),
            conversation_id=await conversation_of(front.database, asked.event_id),
            checkout_id=await asked_credits(front, shop),
            delivery=f"{webhook.id}/{delivery_id}",
            view_ids=",".join(
                [await saved_view(front.database, shop) for _ in range(VIEW_COUNT)]
            ),
        )  # fmt: skip

    for (method, path, status), floor in FLOORS.items():
        assert answers[method, path, status] >= (floor if thorough else 1), answers
    for method, path, _ in ABOUT_ONE.values():
        route = WEBHOOKS + path.format(webhook_id="ID", delivery_id="ID")
        done = sum(answers[method, route, status] for status in (200, 202, 204))
        assert done >= (3 if thorough else 1), (method, route, answers)
