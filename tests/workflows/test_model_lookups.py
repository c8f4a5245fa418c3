"""Runs in which a language model looks up more before it answers."""

import json
from pathlib import Path

from adapters.demo.shop import open_demo_shop
from domain.intake.order_number import find_order_numbers
from domain.integrations.providers import Provider
from store.agent.tables import model_calls
from store.runs.tables import engine_runs
from store.runs.traces import RunTraces
from tests.support.agent.acting import CUSTOMER, connect
from tests.support.agent.acting import order as demo_order
from tests.support.agent.llm_brain import said
from tests.support.agent.much_knowledge import SHEDDING, know_much
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.servers.llm import LlmServer
from tests.support.servers.llm_stream import Call, Calls
from tests.support.tenants.shop import Shop
from tests.workflows.test_llm_runs import thinking

EMAIL = CUSTOMER


def sources_of(server: LlmServer, number: int) -> str:
    return server.asked[number].said


async def test_an_entry_that_the_message_does_not_find(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with thinking(database_url, temporal, allow_loopback_targets=True) as (engine, server):
        await know_much(engine, shop)
        server.script = [
            Calls((Call("search_knowledge", {"query": "shedding wool"}),)),
            said(SHEDDING, ["k1"], SHEDDING, category="product_question"),
        ]

        body = (
            await engine.post(shop, message="Is it normal that my plaid leaves fluff everywhere?")
        ).json()

        assert (body["status"], body["response"]) == ("completed", SHEDDING)
        assert SHEDDING not in sources_of(server, 0)
        assert SHEDDING in sources_of(server, 1)
        run = await only_row(engine.database, engine_runs, of=shop)
        assert [one["title"] for one in run["citations"]] == ["Shedding of wool"]
        async with engine.database.reading(shop.tenant) as connection:
            trace = await RunTraces(connection, shop.tenant).read(run["id"])
        assert "Shedding of wool" in [one.title for one in trace.findings]
        assert await rows(engine.database, model_calls, of=shop) == []


async def test_another_order_of_the_customer_and_none_of_others(
    database_url: str, temporal: TemporalServer, shop: Shop, tmp_path: Path
) -> None:
    async with thinking(database_url, temporal, allow_loopback_targets=True) as (engine, server):
        path = tmp_path / "shop.db"
        orders = (
            demo_order("1042", state="shipped"),
            demo_order("1046", state="delivered"),
            demo_order("2000", email="somebody@example.com"),
        )
        open_demo_shop(path, orders)
        await connect(engine, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
        text = "Your order 1046 was delivered."
        part = {"text": text, "support": [{"source": "order2", "quote": "state: delivered"}]}
        server.script = [
            Calls((Call("read_order", {"number": "2000"}), Call("read_order", {"number": "1046"}))),
            said(text, [], parts=[part]),
        ]

        body = (
            await engine.post(
                shop,
                event_type="shopify.ticket.created",
                customer_email=EMAIL,
                message="Where is my order 1042? And has 1046 arrived at the neighbours?",
            )
        ).json()

        assert (body["status"], body["response"]) == ("completed", text)
        assert "somebody@example.com" not in sources_of(server, 1)
        results = [one for one in server.asked[1].body["messages"] if one["role"] == "tool"]
        stranger, own = (json.loads(one["content"].split("\n")[1])["order"] for one in results)
        assert stranger is None
        assert (own["number"], own["state"]) == ("1046", "delivered")
        run = await only_row(engine.database, engine_runs, of=shop)
        assert [one["title"] for one in run["citations"]] == ["#1046"]


async def test_the_number_that_a_model_asks_for_is_understood(
    database_url: str, temporal: TemporalServer, shop: Shop, tmp_path: Path
) -> None:
    async with thinking(database_url, temporal, allow_loopback_targets=True) as (engine, server):
        path = tmp_path / "shop.db"
        open_demo_shop(path, (demo_order("1046", state="shipped"), demo_order("1042")))
        await connect(engine, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
        question = "Which order is it, please?"
        text = "Your order 1046 was shipped."
        server.script = [
            said(question, [], asks="order_number"),
            said(text, ["order"]),
        ]
        assert find_order_numbers("1046") == ()
        thread = {"customer_email": EMAIL, "ticket_id": "ticket-7"}

        first = (await engine.post(shop, message="Where is it?", **thread)).json()
        second = (await engine.post(shop, message="1046", **thread)).json()

        assert (first["status"], first["response"]) == ("completed", question)
        assert (second["status"], second["response"]) == ("completed", text)
