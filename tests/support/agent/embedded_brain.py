"""Input for the embedded brain, with its templates and passages."""

from collections.abc import Sequence
from typing import Final

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import UNANSWERED_CONFIDENCE, EmbeddedBrain
from domain.agent.brain import BrainAnswer, BrainRequest, Category, Language, Passage, Template
from domain.agent.intent import Intent

BRAIN: Final = EmbeddedBrain(Classifier.load())
# The intent of the template for each category, in these tests.
_INTENTS: Final = {
    Category.ORDER_STATUS: Intent.TRACK_ORDER,
    Category.REFUND_REQUEST: Intent.REFUND,
    Category.PRODUCT_QUESTION: Intent.PRODUCT_INFO,
    Category.SHIPPING_ISSUE: Intent.PARCEL_LATE,
    Category.COMPLAINT: Intent.SERVICE_COMPLAINT,
    Category.OTHER: Intent.INVOICE,
}
# The default threshold of a playbook.
THRESHOLD: Final = 0.70


def assert_no_source(answer: BrainAnswer) -> None:
    """Check that the brain found no source, states the reason, and leaves the text to a human."""
    assert answer.citations == ()
    assert answer.doubt is not None
    assert answer.confidence <= UNANSWERED_CONFIDENCE
    assert answer.response == ""


def template(
    category: Category,
    body: str = "Hello {{ customer_name | there }}, {{ brand_name }} is on it.",
    language: Language = "en",
    name: str = "Reply",
    template_id: str = "t1",
    intent: Intent | None = None,
    not_for: tuple[str, ...] = (),
) -> Template:
    return Template(
        id=template_id,
        name=name,
        category=category,
        language=language,
        body=body,
        intent=intent or _INTENTS[category],
        not_for=not_for,
    )


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
