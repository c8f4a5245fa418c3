"""The templates in a language model's prompt: filled from the order, or with their missing values
named."""

import json
from datetime import date
from itertools import count
from typing import Any

import pytest

from adapters.brain.classifier import Classifier
from adapters.brain.llm_templates import shown_templates
from demo.content import TEMPLATES
from domain.agent.brain import BrainAnswer, Category, Citation, Template
from domain.agent.grounding.grounding import claim_doubt
from domain.agent.plan import ActionKind, PlannedAction
from domain.content.starter_templates import starter_templates
from tests.support.agent.grounding import unsupported
from tests.support.agent.llm_brain import ENGLISH, ORDER, REFUND, asked, brain, configured, said
from tests.support.servers.llm import Asked, LlmServer

_IDS = count(1)
STARTERS = starter_templates(lambda: f"{next(_IDS):04}")
SHOPS = tuple(
    Template(
        id=f"demo-{place}",
        name=one.name,
        category=one.category,
        language=one.language,
        body=one.body,
    )
    for place, one in enumerate(TEMPLATES)
)
TRACKED = ORDER.model_copy(update={"tracking_url": "https://post.example/track/LP-778899"})
CANCEL = REFUND.model_copy(update={"kind": ActionKind.CANCEL_ORDER})
REPLY = PlannedAction(kind=ActionKind.REPLY)
BOTH = {REFUND.kind: REFUND, CANCEL.kind: CANCEL}


def data_of(one: Asked) -> dict[str, Any]:
    content = one.body["messages"][-1]["content"]
    data: dict[str, Any] = json.loads(content.split("\n")[1])
    return data


async def prompt(
    classifier: Classifier, server: LlmServer, *templates: Template, **more: object
) -> dict[str, Any]:
    server.script = [said(sources=["order"])]
    await brain(classifier, configured(server)).think(asked(ENGLISH, templates=templates, **more))
    return data_of(server.asked[-1])


@pytest.mark.parametrize("language", ["fr", "en"])
def test_a_model_sees_every_template_of_the_shop(language: str) -> None:
    request = asked(templates=SHOPS, order=TRACKED, offers=(REFUND, CANCEL))

    filled, unfilled = shown_templates(request, list(Category), language)

    assert {one.template.id for one in filled} == {one.id for one in SHOPS}
    assert unfilled == []
    assert not any("{{" in one.text for one in filled)


async def test_an_order_fills_a_template(classifier: Classifier, server: LlmServer) -> None:
    template = Template(
        id="t", name="Tracking", category=Category.ORDER_STATUS, language="en",
        body="Order {{ order_number }} is {{ order_status }}: {{ tracking_url }}",
    )  # fmt: skip

    # The caller's value gives way to the shop's.
    data = await prompt(
        classifier, server, template, order=TRACKED, fields={"order_number": "9999"}
    )

    assert data["sources"][-1] == {
        "key": "t1",
        "title": "Tracking",
        "approved_reply": "Order 1042 is shipped: https://post.example/track/LP-778899",
    }
    assert data["unfilled_replies"] == []


async def test_missing_values_are_named(classifier: Classifier, server: LlmServer) -> None:
    template = Template(
        id="t", name="Tracking", category=Category.ORDER_STATUS, language="en",
        body="Order {{ order_number }} is here: {{tracking_url}}",
    )  # fmt: skip

    data = await prompt(classifier, server, template, order=ORDER)

    assert data["unfilled_replies"] == [
        {
            "title": "Tracking",
            "approved_reply": "Order 1042 is here: {{ tracking_url }}",
            "missing": ["tracking_url"],
        }
    ]
    # A template with a missing value is no source.
    assert [one["key"] for one in data["sources"]] == ["k1"]


async def test_an_invalid_template_is_not_shown(classifier: Classifier, server: LlmServer) -> None:
    template = Template(
        id="t", name="Tracking", category=Category.ORDER_STATUS, language="en",
        body="Order {{ the number }}",
    )  # fmt: skip

    data = await prompt(classifier, server, template)

    assert data["unfilled_replies"] == []
    assert [one["key"] for one in data["sources"]] == ["k1"]


async def test_a_promise_is_tied_to_its_action(classifier: Classifier, server: LlmServer) -> None:
    template = Template(
        id="t", name="Refunded", category=Category.ORDER_STATUS, language="en",
        body="We are refunding {{ refund_amount }}.",
    )  # fmt: skip

    offered = await prompt(classifier, server, template, offers=(REFUND,))
    absent = await prompt(classifier, server, template, offers=())

    assert offered["sources"][-1]["approved_reply"] == "We are refunding 49.90 EUR."
    assert offered["sources"][-1]["only_with"] == ["refund"]
    assert absent["unfilled_replies"][0]["missing"] == ["refund_amount"]


@pytest.mark.parametrize("template", [*STARTERS, *SHOPS], ids=lambda one: one.name)
def test_a_filled_template_passes_the_guards(template: Template) -> None:
    request = asked(
        templates=(template,), order=TRACKED, offers=(REFUND, CANCEL), today=date(2026, 3, 14)
    )
    (shown,), _ = shown_templates(request, list(Category), "en")
    cited = (Citation(kind="template", id=template.id, title=template.name),)
    answer = BrainAnswer(
        classification=template.category,
        confidence=0.9,
        language=template.language,
        response=shown.text,
        citations=cited,
        model="m",
        prompt_version="v",
    )
    plan = (*(BOTH[kind] for kind in shown.promises), REPLY)

    assert unsupported(shown.text, cited, request) == ()
    assert claim_doubt(answer, plan, request) is None
    if shown.promises:
        assert claim_doubt(answer, (REPLY,), request) is not None
