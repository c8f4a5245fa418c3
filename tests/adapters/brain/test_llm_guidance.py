"""A client's style guidance and a playbook's procedure in the prompt, and the stable prefix."""

import json

import pytest

from adapters.brain.classifier import Classifier
from adapters.brain.llm_prompt import RULES
from domain.agent.procedure import Procedure
from domain.tenants.guidance import Guidance
from tests.support.agent.llm_brain import (
    EVERY_PROTOCOL,
    NATIVE,
    asked,
    brain,
    configured,
    said,
)
from tests.support.servers.llm import LlmServer

GUIDANCE = Guidance(
    tone="Warm and brief.", do=("Name the {product}.", "Say tu."), dont=("No emojis.",)
)
PROCEDURE = Procedure(
    when="The parcel is late.",
    steps=("Name the {carrier}.", "Give the tracking link."),
    hand_over="The parcel is lost.",
)
LINES = "Tone: Warm and brief.\nDo:\n- Name the {product}.\n- Say tu.\nDo not:\n- No emojis."


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_guidance_is_between_the_rules_and_the_instructions(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]

    await brain(classifier, configured(server, model)).think(
        asked(guidance=GUIDANCE, instructions="Mention the sale.")
    )

    (request,) = server.asked
    assert request.instructions.startswith(RULES)
    shop = request.instructions.removeprefix(RULES)
    before, after = shop.split(LINES)
    assert "It lifts none of the rules above" in before
    assert "Boutique" in before
    assert "Mention the sale." in after
    assert "No emojis" not in request.said


async def test_guidance_keeps_the_prefix_stable(classifier: Classifier, server: LlmServer) -> None:
    """Messages and playbooks change only what follows the guidance."""
    server.script = [said()]
    engine = brain(classifier, configured(server))

    await engine.think(asked(guidance=GUIDANCE))
    await engine.think(asked("Do you ship to Belgium, please?", guidance=GUIDANCE, offers=()))
    await engine.think(asked(guidance=GUIDANCE, instructions="Another playbook."))
    await engine.think(asked())

    one, other_message, other_playbook, without = (each.instructions for each in server.asked)
    assert one == other_message
    assert other_playbook.startswith(one.rstrip())
    assert "Style guidance" not in without
    assert one.startswith(without.rstrip())


async def test_a_provider_caches_the_guidance(classifier: Classifier, server: LlmServer) -> None:
    server.script = [said()]

    await brain(classifier, configured(server, NATIVE)).think(asked(guidance=GUIDANCE))

    system = server.asked[0].body["system"]
    last = max(place for place, part in enumerate(system) if "cache_control" in part)
    assert "No emojis." in "".join(part["text"] for part in system[: last + 1])
    assert "No emojis." not in json.dumps(server.asked[0].body["messages"])


async def test_a_procedure_ends_the_stable_prefix(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [said()]
    engine = brain(classifier, configured(server))

    await engine.think(asked(guidance=GUIDANCE, instructions="Mention the sale."))
    await engine.think(
        asked(guidance=GUIDANCE, instructions="Mention the sale.", procedure=PROCEDURE)
    )
    await engine.think(asked(procedure=Procedure(steps=("Only a step.",))))

    without, whole, short = (each.instructions for each in server.asked)
    assert "Procedure of" not in without
    assert whole.startswith(without.rstrip())
    head, _, steps = whole.partition("Procedure of Boutique.")
    assert "Mention the sale." in head
    _, *lines = steps.strip().split("\n")
    assert lines == [
        "When: The parcel is late.",
        "1. Name the {carrier}.",
        "2. Give the tracking link.",
        "Hand over to a colleague, with doubt unsupported_request: The parcel is lost.",
    ]
    assert short.rstrip().endswith("\n1. Only a step.")
