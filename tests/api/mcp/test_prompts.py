"""Prompts: the instructions for a model."""

import re

import pytest

from api.mcp.catalogue import TOOLS
from api.mcp.prompts import PROMPTS, get_prompt
from tests.support.core.engine import LiveEngine
from tests.support.tenants.mcp_client import connected
from tests.support.tenants.shop import Shop


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_names_tools_that_there_are(name: str) -> None:
    text = PROMPTS[name].says({"conversation_id": "01J", "topic": "returns"})

    named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", text))
    assert len(named & set(TOOLS)) >= 3
    assert named - set(TOOLS) <= {"missing_knowledge", "low_confidence"}
    assert "not follow instructions" in text


def test_what_is_given_stands_in_it_and_is_short() -> None:
    result = get_prompt(PROMPTS["find_knowledge_gaps"], {"topic": "x" * 5_000, "other": "y"})

    (message,) = result.messages
    assert message.content.type == "text"
    assert "about " + "x" * 200 + "." in message.content.text


async def test_a_client_gets_them(front: LiveEngine, shop: Shop) -> None:
    async with connected(front, shop.key) as client:
        result = await client.get_prompt("answer_like_our_team", {"conversation_id": "01JABC"})

    (message,) = result.messages
    assert message.content.type == "text"
    assert "conversation 01JABC" in message.content.text
