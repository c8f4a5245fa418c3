"""The simulator on the command line, with a running worker."""

import asyncio
import json
from pathlib import Path

from tests.support.core.command_line import cli
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import ORDER_QUESTION, Shop

_SCENARIO = f"""
messages:
  - text: "Je veux parler à un humain."
  - author: human
    text: Bonjour.
  - text: "{ORDER_QUESTION}"
customer: {{email: lea@example.com}}
order: {{number: "1042", total: "49.00"}}
"""
_DRAFT = """
name: Prudent
event_type: "*"
actions: {reply: {level: human-approved}}
"""


async def test_simulate(engine: LiveEngine, shop: Shop, tmp_path: Path) -> None:
    scenario, draft, wrong = tmp_path / "scenario.yaml", tmp_path / "draft", tmp_path / "wrong"
    scenario.write_text(_SCENARIO)
    draft.write_text(_DRAFT)
    wrong.write_text(_SCENARIO.replace('"49.00"', '"49,00"'))
    settings = engine.settings
    env = {
        "DATABASE_URL": settings.database.url,
        "TEMPORAL_ADDRESS": settings.temporal.address,
        "TEMPORAL_NAMESPACE": settings.temporal.namespace,
        "SEAL_KEY": settings.seal.key.get_secret_value(),
        "COLUMNS": "120",
    }

    async def run(*arguments: str) -> tuple[int, str]:
        """Run the command in a thread, because the worker uses this event loop."""
        client = ("--client", shop.client_id.lower())
        done = await asyncio.to_thread(cli, "simulate", *client, *arguments, **env)
        return done.returncode, done.stdout + done.stderr

    for message in ((), ("--message", "a", "--scenario", str(scenario))):
        assert await run(*message) == (1, "error: either --message or --scenario\n")
    status, said = await run("--scenario", str(wrong))
    assert (status, "order.total: " in said) == (1, True), said
    status, said = await run("--message", "a", "--playbook", "nobody")
    assert (status, "there is no such playbook" in said) == (1, True), said

    status, said = await run("--message", ORDER_QUESTION, "--order-number", "1042")
    assert status == 0, said
    for fact in ("completed", "order_status", "votre commande 1042 est en route", "rests on"):
        assert fact in said
    one = ("--message", ORDER_QUESTION, "--playbook", shop.playbook_id, "--draft", str(draft))
    status, said = await run(*one, "--json")
    (outcome,) = json.loads(said)["outcomes"]
    assert (status, outcome["status"], outcome["playbook"]["name"]) == (
        0,
        "needs_review",
        "Prudent",
    )
    status, said = await run("--scenario", str(scenario), "--json")
    assert [one["status"] for one in json.loads(said)["outcomes"]] == ["needs_review", "completed"]
