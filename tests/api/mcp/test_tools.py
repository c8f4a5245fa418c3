"""Every tool: against its schema, with two tenants, and with hostile customer text."""

import json

import pytest
from jsonschema import Draft202012Validator

from api.mcp.catalogue import TOOLS
from api.mcp.tool import CallEffect
from domain.tenants.scopes import EVERY_SCOPE, Scope
from store.intake.tables import engine_events
from store.runs.tables import ai_conversations, engine_messages
from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.intake.attachments import PHOTO, keep_attachments
from tests.support.tenants.mcp_account import (
    ORDERS,
    arguments_for,
    mcp_account,
    unmarked,
)
from tests.support.tenants.mcp_client import call, connected, message, narrow, refused, told
from tests.support.tenants.shop import ORDER_QUESTION, Shop

SCOPES = {
    "search_conversations": (Scope.CONVERSATIONS_READ,),
    "get_conversation": (Scope.CONVERSATIONS_READ,),
    "get_run": (Scope.CONVERSATIONS_READ,),
    "list_reviews": (Scope.REVIEWS_READ,),
    "draft_reply": (Scope.DRAFTS_WRITE, Scope.CONVERSATIONS_READ),
    "simulate_message": (Scope.DRAFTS_WRITE,),
    "push_event": (Scope.EVENTS_WRITE,),
    "search_knowledge": (Scope.CONTENT_READ,),
    "suggest_knowledge_entry": (Scope.CONTENT_SUGGEST,),
    "suggest_template": (Scope.CONTENT_SUGGEST,),
    "list_templates": (Scope.CONTENT_READ,),
    "list_playbooks": (Scope.PLAYBOOKS_READ,),
    "get_usage": (Scope.USAGE_READ,),
    "get_metrics": (Scope.USAGE_READ,),
    "list_webhook_deliveries": (Scope.WEBHOOKS_READ,),
}
WRITES = {"push_event", "suggest_knowledge_entry", "suggest_template"}


def test_every_tool_says_what_it_needs_and_changes() -> None:
    assert {name: tool.scopes for name, tool in TOOLS.items()} == SCOPES
    for name, tool in TOOLS.items():
        listed = tool.listed
        assert (name in WRITES) is tool.effect.writes
        assert listed.annotations is not None
        assert listed.annotations.read_only_hint is (name not in WRITES)
        assert listed.annotations.destructive_hint is False
        assert listed.annotations.open_world_hint is (name == "push_event")
        assert all(one in (listed.description or "") for one in tool.scopes)
        for schema in (listed.input_schema, listed.output_schema or {}):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
    assert CallEffect() == CallEffect(writes=False, repeatable=True, outside=False)


async def test_every_tool_keeps_to_its_schema_and_its_tenant(engine: LiveEngine) -> None:
    mine, theirs = await mcp_account(engine), await mcp_account(engine)
    async with connected(engine, mine.shop.key) as client:
        # The official client checks each result against the tool's published schema.
        await client.list_tools()
        for name, given in arguments_for(mine).items():
            result = await client.call_tool(name, given)

            assert not result.is_error, (name, result)
            schema = TOOLS[name].listed.output_schema
            assert schema is not None
            Draft202012Validator(schema).validate(result.structured_content)
            (block,) = result.content
            assert block.type == "text"
            assert json.loads(block.text) == result.structured_content
            assert theirs.secret not in block.text, name
            seen = list(unmarked(result.structured_content))
            assert not [text for text in seen if "ignore" in text.lower()], name
            assert ORDERS not in "".join(seen)


async def test_the_customers_words_are_there_and_marked(engine: LiveEngine) -> None:
    it = await mcp_account(engine)
    shop = it.shop

    (found,) = (await told(engine, shop, "search_conversations", words=it.secret))["conversations"]
    trace = await told(engine, shop, "get_run", run_id=it.run_id)
    await keep_attachments(engine.database, shop.tenant, trace["event"]["event_id"], PHOTO)
    read = await told(engine, shop, "get_conversation", conversation_id=it.conversation_id)
    run = await told(engine, shop, "get_run", run_id=it.run_id)
    (review,) = (await told(engine, shop, "list_reviews"))["reviews"]

    for marked in (
        found["latest_message"],
        read["messages"][0]["text"],
        run["event"]["text"],
        run["event"]["subject"],
        review["preview"],
    ):
        assert marked["untrusted"] is True
        assert ORDERS in marked["text"]
    for shown in (read["messages"][0], run["event"]):
        (file,) = shown["attachments"]
        assert (file["name"]["text"], file["name"]["untrusted"]) == (PHOTO.name, True)
    assert found["customer"]["text"].startswith("ignore-all")
    assert read["messages"][0]["run_id"] == it.run_id == review["run_id"]
    assert review["decide_at"] == (
        f"{engine.settings.server.dashboard}/reviews/{review['review_id']}"
    )


async def test_anothers_records_are_none(engine: LiveEngine) -> None:
    mine, theirs = await mcp_account(engine), await mcp_account(engine)
    before = [await row_counts(engine.database, of=one.shop) for one in (mine, theirs)]
    not_mine = arguments_for(theirs)
    for name, what in (
        ("get_conversation", "conversation"),
        ("get_run", "run"),
        ("draft_reply", "conversation"),
        ("list_webhook_deliveries", "webhook"),
    ):
        assert f"no such {what}" in await refused(engine, mine.shop, name, **not_mine[name])
    found = await told(engine, mine.shop, "search_conversations", words=theirs.secret)
    knowledge = await told(engine, mine.shop, "search_knowledge", query=theirs.secret)
    resource = await message(
        engine, mine.shop, "resources/read", {"uri": f"knowledge://{theirs.knowledge_id}"}
    )

    assert (found["conversations"], knowledge["passages"]) == ([], [])
    assert resource.json()["error"]["code"] == -32602
    assert [await row_counts(engine.database, of=one.shop) for one in (mine, theirs)] == before


async def test_drafts_and_simulations_leave_nothing_behind(engine: LiveEngine) -> None:
    it = await mcp_account(engine)
    before = await row_counts(engine.database, of=it.shop)

    draft = await told(engine, it.shop, "draft_reply", conversation_id=it.conversation_id)
    simulated = await told(
        engine, it.shop, "simulate_message", message="Bonjour, où est ma commande ?",
        fields={"order_number": "1042"},
    )  # fmt: skip

    assert (draft["sent"], simulated["sent"]) == (False, False)
    assert draft["status"] == "needs_review"
    assert simulated["draft"] == {
        "untrusted": True, "text": "Bonjour, votre commande 1042 est en route.", "is_cut": False
    }  # fmt: skip
    assert await row_counts(engine.database, of=it.shop) == before


async def test_an_event_is_the_gateways_and_nobody_vouches_for_its_customer(
    engine: LiveEngine, shop: Shop
) -> None:
    given = {"message": ORDER_QUESTION, "customer_email": "a@b.example", "idempotency_key": "k1"}

    first = await told(engine, shop, "push_event", **given)
    again = await told(engine, shop, "push_event", **given)
    other = await refused(engine, shop, "push_event", **{**given, "message": "other"})
    forged = await refused(engine, shop, "push_event", message="x", customer_verified=True)

    assert first["status"] == "completed"
    assert first["answer"]["untrusted"] is True
    assert again == first
    assert "idempotency_key_reused" in other
    assert "customer_verified" in forged
    event = await only_row(engine.database, engine_events, client_id=shop.client_id)
    assert event["unified"]["customer_verified"] is False
    assert event["source"] == "mcp"
    (conversation,) = await rows(engine.database, ai_conversations, client_id=shop.client_id)
    assert conversation["memory_key"] is None
    usage = await told(engine, shop, "get_usage")
    assert usage["usage"]["tickets_used"] == 1


@pytest.mark.parametrize("field", ["customer_verified", "is_test", "client_id", "message"])
async def test_further_fields_change_none_of_the_known(
    engine: LiveEngine, shop: Shop, field: str
) -> None:
    await told(engine, shop, "push_event", message=ORDER_QUESTION, fields={field: "true"})

    event = await only_row(engine.database, engine_events, client_id=shop.client_id)
    assert event["message"] == ORDER_QUESTION
    assert event["payload"]["customer_verified"] is False


async def test_the_limits_of_the_gateway_hold(engine: LiveEngine, shop: Shop) -> None:
    given = {"message": ORDER_QUESTION, "customer_email": "a@b.example"}
    for _ in range(10):
        await told(engine, shop, "push_event", **given)

    text = await refused(engine, shop, "push_event", **given)

    assert "10 messages in 10 minutes" in text
    assert "Call again in" in text
    assert "a@b.example" not in text
    messages = await rows(engine.database, engine_messages, client_id=shop.client_id)
    assert len([one for one in messages if one["direction"] == "inbound"]) == 10


@pytest.mark.parametrize("scope", EVERY_SCOPE)
async def test_a_scope_opens_its_tools_and_no_other(
    front: LiveEngine, shop: Shop, scope: Scope
) -> None:
    await narrow(front, shop, scope)
    for name, needed in SCOPES.items():
        # No arguments: a permitted tool rejects them itself, and writes nothing.
        answer = await message(
            front, shop, "tools/call", {"name": name, "arguments": {"no": "such"}}
        )
        if needed == (scope,):
            assert answer.status_code == 200, (name, answer.text)
            assert answer.json()["result"]["isError"]
        else:
            assert answer.status_code == 403, name
            assert answer.json()["code"] == "insufficient_scope"
            missing = next(one for one in needed if one is not scope)
            (challenge,) = answer.headers.get_list("www-authenticate")
            assert challenge.startswith(
                f'Bearer error="insufficient_scope", scope="{missing}", resource_metadata="'
            )
    for uri, wanted in (
        ("knowledge://x", Scope.CONTENT_READ),
        ("webhook-events://all", Scope.WEBHOOKS_READ),
    ):
        answer = await message(front, shop, "resources/read", {"uri": uri})
        assert (answer.status_code == 403) is (wanted is not scope)
    assert (await message(front, shop, "tools/list", {})).status_code == 200


async def test_wrong_arguments_are_told_without_their_values(front: LiveEngine, shop: Shop) -> None:
    text = await refused(
        front, shop, "search_conversations", limit=1000, words="a secret", wrong="another"
    )

    assert "limit: Input should be less than or equal to 50" in text
    assert "wrong: Extra inputs are not permitted" in text
    assert "secret" not in text


async def test_a_text_that_no_template_may_hold_is_explained(front: LiveEngine, shop: Shop) -> None:
    text = await refused(
        front, shop, "suggest_template", name="n", category="other", language="fr",
        body="Bonjour {{ 1 }}", reason="r",
    )  # fmt: skip

    assert "cannot be read as a placeholder" in text
    assert (await call(front, shop, "list_templates"))["isError"] is False


def test_the_document_names_every_tool() -> None:
    rows = [
        f"| `{name}` | {tool.description} | {', '.join(f'`{one}`' for one in tool.scopes)} "
        f"| {'yes' if tool.effect.writes else 'no'} |"
        for name, tool in TOOLS.items()
    ]

    assert "\n".join(rows) in (ROOT / "docs/mcp.md").read_text()
