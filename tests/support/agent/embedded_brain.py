"""Questions to the embedded brain, with the templates and passages that it answers from."""

from collections.abc import Sequence
from typing import Final

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import ACKNOWLEDGEMENT, UNANSWERED_CONFIDENCE, EmbeddedBrain
from domain.agent.brain import BrainAnswer, BrainRequest, Category, Language, Passage, Template
from domain.agent.escalation_reason import EscalationReason

BRAIN: Final = EmbeddedBrain(Classifier.load())
# What a playbook has unless it sets another.
THRESHOLD: Final = 0.70


def assert_no_source(answer: BrainAnswer) -> None:
    """The brain found nothing to answer from, says why and asserts nothing."""
    assert answer.citations == ()
    assert answer.doubt is not None
    assert answer.confidence <= UNANSWERED_CONFIDENCE
    wants_human = answer.doubt is EscalationReason.CUSTOMER_REQUEST
    assert bool(answer.response) is not wants_human
    if answer.response:
        assert answer.response.startswith(
            ACKNOWLEDGEMENT["fr" if answer.language == "fr" else "en"]
        )


def template(
    category: Category,
    body: str = "Hello {{ customer_name | there }}, {{ brand_name }} is on it.",
    language: Language = "en",
    name: str = "Reply",
    template_id: str = "t1",
) -> Template:
    return Template(id=template_id, name=name, category=category, language=language, body=body)


def passage(
    title: str,
    body: str,
    language: Language = "en",
    passage_id: str = "p1",
    rank: float = 0.1,
) -> Passage:
    return Passage(id=passage_id, title=title, body=body, language=language, rank=rank)


async def ask(
    text: str,
    *,
    subject: str | None = None,
    templates: Sequence[Template] = (),
    passages: Sequence[Passage] = (),
    fields: dict[str, str] | None = None,
) -> BrainAnswer:
    request = BrainRequest(
        text=text,
        subject=subject,
        brand_name="Maison Test",
        fields=fields or {},
        templates=tuple(templates),
        passages=tuple(passages),
    )
    return await BRAIN.think(request)


ONE_PER_CLASS: Final = (
    *(template(category, template_id=f"en-{category}") for category in Category),
    *(
        template(category, "Bonjour de {{ brand_name }}.", "fr", template_id=f"fr-{category}")
        for category in Category
    ),
)
