"""Every answer of the embedded brain is supported by its citations, so the grounding check
passes."""

import csv
from pathlib import Path

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from demo.content import BRAND, KNOWLEDGE, TEMPLATES
from domain.agent.brain import BrainRequest, Passage, Template
from tests.support.agent.grounding import unsupported

HELD_OUT = Path(__file__).with_name("held_out.csv")


def asked(text: str) -> BrainRequest:
    return BrainRequest(
        text=text,
        brand_name=BRAND,
        fields={"order_number": "1042", "tracking_url": "https://post.example/track/LP-77"},
        trusts_links=True,
        templates=tuple(
            Template(
                id=f"t{place}",
                name=one.name,
                category=one.category,
                language=one.language,
                body=one.body,
            )
            for place, one in enumerate(TEMPLATES)
        ),
        passages=tuple(
            Passage(id=f"k{place}", rank=1.0, **entry._asdict())
            for place, entry in enumerate(KNOWLEDGE)
        ),
    )


async def test_embedded_answers_are_grounded(classifier: Classifier) -> None:
    brain = EmbeddedBrain(classifier)
    texts = [row["text"] for row in csv.DictReader(HELD_OUT.read_text().splitlines())]
    cited = 0
    for text in texts + [entry.title for entry in KNOWLEDGE]:
        request = asked(text)
        answer = await brain.think(request)
        cited += bool(answer.citations)
        assert unsupported(answer.response, answer.citations, request) == (), answer.response

    assert cited > 50
