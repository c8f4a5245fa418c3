"""The OpenAPI document of the simulator, the copilot and learning, tested as the owner."""

from pathlib import Path

import pytest

from domain.tenants.client import Role
from embedded.ports import free_port
from tests.contract.schemathesis_run import is_ready, run_schemathesis
from tests.support.cases.cases import CONTENT_PREVIEWS
from tests.support.content.content import made
from tests.support.core.deadlines import SLOW_S
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.learning.corrections import corrected, labelled
from tests.support.learning.learning_routes import CORRECTIONS, EXAMPLES
from tests.support.reviews.dashboard import person
from tests.support.simulation.replays import REPLAYS, a_replay, answered
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import Shop

SIMULATOR = "/api/simulator/chat"
COPILOT = "/api/copilot/chat"
CASE_OF_RUN = "/api/dashboard/runs/{run_id}/case"
LEARNING = (
    SIMULATOR,
    COPILOT,
    REPLAYS,
    CONTENT_PREVIEWS,
    CORRECTIONS,
    EXAMPLES,
    "/api/dashboard/runs/[^/]+/case$",
)
DOOMED = 12
ROUND = 15
# Well below the number in a normal run: valid requests that were really answered.
FLOORS = {
    ("POST", SIMULATOR, 200): 5,
    ("POST", COPILOT, 200): 5,
    ("GET", REPLAYS, 200): 3,
    ("POST", REPLAYS, 201): 1,
    ("GET", f"{REPLAYS}/ID", 200): 1,
    ("GET", f"{REPLAYS}/ID/examples", 200): 3,
    ("POST", f"{REPLAYS}/ID/stop", 200): 1,
    ("POST", CONTENT_PREVIEWS, 202): 1,
    ("GET", CORRECTIONS, 200): 3,
    ("GET", f"{CORRECTIONS}/ID", 200): 1,
    ("POST", f"{CORRECTIONS}/ID/accept", 200): 3,
    ("POST", f"{CORRECTIONS}/ID/dismiss", 204): 3,
    ("GET", EXAMPLES, 200): 3,
    ("DELETE", f"{EXAMPLES}/ID", 204): 1,
    ("POST", CASE_OF_RUN.format(run_id="ID"), 201): 1,
}


@pytest.mark.slow
@pytest.mark.timeout(SLOW_S)
async def test_routes_of_learning_keep_to_their_document(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, *, thorough: bool
) -> None:
    settings, port = idle_engine.settings, free_port()
    assert settings.identity.session_key is not None
    database = idle_engine.database
    content = await made(idle_engine, await person(idle_engine, shop, Role.OWNER))
    runs = await answered(database, shop, "Quand ouvrez-vous ?", "Et le dimanche ?")
    replay_ids = [await a_replay(database, shop)]
    corrections = [await corrected(database, shop) for _ in range(2 * DOOMED)]
    examples = [await labelled(database, shop) for _ in range(DOOMED)]
    serve = ("-m", "tests.support.core.patient_api", "serve", "--port", str(port))
    key = settings.identity.session_key.get_secret_value()
    with (
        process("api", *serve, settings=settings, folder=tmp_path, SESSION_KEY=key),
        process("worker", "worker.py", settings=settings, folder=tmp_path),
    ):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: is_ready(url, workers=True), 120)
        answers = await run_schemathesis(
            url,
            tmp_path,
            "--include-path-regex", f"^({'|'.join(LEARNING)})",
            token=session_token(settings, shop.owner_user_id),
            config="learning.toml",
            hooks="learning_hooks",
            whole=thorough,
            examples=ROUND,
            client_id=shop.client_id,
            playbook_id=shop.playbook_id,
            template_id=content["template_id"],
            knowledge_id=content["knowledge_id"],
            run_ids=",".join(ref.run_id for ref in runs),
            replay_ids=",".join(replay_ids),
            correction_ids=",".join(corrections),
            example_ids=",".join(examples),
        )  # fmt: skip

    for (method, path, status), floor in FLOORS.items():
        assert answers[method, path, status] >= (floor if thorough else 1), (method, path, answers)
