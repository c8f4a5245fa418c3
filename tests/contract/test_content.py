"""The OpenAPI document of content and settings, tested against the service as the client's
owner."""

from pathlib import Path

import pytest

from domain.tenants.client import Role
from embedded.ports import free_port
from tests.contract.schemathesis_run import is_ready, run_schemathesis
from tests.support.content.content import (
    CONTENT_ROUTES,
    INTEGRATIONS,
    KNOWLEDGE,
    SETTINGS,
    STARTERS,
    TEMPLATES,
    WIDGET,
    made,
)
from tests.support.core.deadlines import SLOW_S
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop

DOOMED = 30
EXAMPLES = 15
NAMES = ("template", "knowledge", "integration")
# Well below the number in a normal run: valid requests that were really answered.
FLOOR = 3


@pytest.mark.slow
@pytest.mark.timeout(SLOW_S)
async def test_the_routes_of_content_keep_to_their_document(
    front: LiveEngine, shop: Shop, tmp_path: Path, *, thorough: bool
) -> None:
    settings, port = front.settings, free_port()
    assert settings.identity.session_key is not None
    owner = await person(front, shop, Role.OWNER)
    kept, *doomed = [await made(front, owner) for _ in range(DOOMED)]
    # The next connection to the same provider replaces each of these.
    stripe = {"provider": "stripe", "credentials": {"api_key": "x"}}
    lasting = await front.http.post(INTEGRATIONS, json=stripe, headers=owner)
    serve = ("-m", "tests.support.core.patient_api", "serve", "--port", str(port))
    key = settings.identity.session_key.get_secret_value()
    with process("api", *serve, settings=settings, folder=tmp_path, SESSION_KEY=key):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: is_ready(url))
        answers = await run_schemathesis(
            url,
            tmp_path,
            "--include-path-regex",
            # No document states a platform's secret, or which integration has articles:
            # tests/api/inbound and tests/api/content test these addresses.
            f"^({TEMPLATES}|{STARTERS}|{KNOWLEDGE}|{SETTINGS}|{WIDGET}"
            f"|{INTEGRATIONS}(?!/[^/]+/(inbound|article-imports)))",
            token=session_token(settings, shop.owner_user_id),
            config="dashboard.toml",
            hooks="content_hooks",
            whole=thorough,
            examples=EXAMPLES,
            client_id=shop.client_id,
            template_id=kept["template_id"],
            knowledge_id=kept["knowledge_id"],
            integration_id=lasting.json()["id"],
            **{f"{name}_ids": ",".join(ids[f"{name}_id"] for ids in doomed) for name in NAMES},
        )  # fmt: skip

    for method, path, _ in CONTENT_ROUTES:
        route = path.format(template_id="ID", knowledge_id="ID", integration_id="ID")
        done = sum(answers[method, route, status] for status in (200, 201, 204))
        assert done >= (FLOOR if thorough else 1), (method, route, answers)
