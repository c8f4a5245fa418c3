"""Which held drafts a customer may receive as an excerpt, and how the excerpt reads."""

import pytest

from domain.agent.brain import Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.excerpt import EXCERPT_CONFIDENCE, HeldDraft, introduced, is_excerpt
from domain.tenants.client_settings import ClientSettings

ENTRY = Citation(kind="knowledge", id="K1", title="Washing")
DRAFT = HeldDraft(
    text="Hello Sophie,\n\nWash the duvet at 40 °C.\n\nNordfeld",
    language="en",
    classification="product_question",
    confidence=EXCERPT_CONFIDENCE,
    citations=(ENTRY,),
    reason=EscalationReason.LOW_CONFIDENCE,
    is_composed=False,
    acts_on_order=False,
    customer_name="Sophie Martin",
)
SETTINGS = ClientSettings()


def test_an_unsure_answer_from_knowledge_is_an_excerpt() -> None:
    assert is_excerpt(DRAFT, SETTINGS)


@pytest.mark.parametrize(
    "change",
    [
        {"text": ""},
        {"language": "de"},
        {"language": None},
        {"classification": "complaint"},
        {"confidence": EXCERPT_CONFIDENCE - 0.01},
        {"citations": ()},
        {"citations": (ENTRY, Citation(kind="template", id="T1", title="Hello"))},
        {"citations": (ENTRY, Citation(kind="order", id="1042", title="Order 1042"))},
        {"is_composed": True},
        {"acts_on_order": True},
        *(
            {"reason": reason}
            for reason in EscalationReason
            if reason is not EscalationReason.LOW_CONFIDENCE
        ),
    ],
)
def test_any_other_draft_waits_for_the_human(change: dict[str, object]) -> None:
    assert not is_excerpt(DRAFT.model_copy(update=change), SETTINGS)


@pytest.mark.parametrize(
    "change", [{"answers_from_knowledge": False}, {"answer_decision": 2}, {"answer_decision": 1}]
)
def test_a_client_that_has_not_enabled_it_shows_none(change: dict[str, object]) -> None:
    assert not is_excerpt(DRAFT, SETTINGS.model_copy(update=change))


def test_the_excerpt_is_introduced_within_the_clients_frame() -> None:
    text = "Bonjour Sophie Martin,\n\nLavez la couette à 40 °C.\n\nBien à vous,\nNordfeld"
    draft = DRAFT.model_copy(update={"text": text, "language": "fr"})

    said = introduced(draft, SETTINGS, "Nordfeld")

    assert said == (
        "Bonjour Sophie Martin,\n\n"
        "Une personne de notre équipe va vous répondre. En attendant, ce passage de notre article "
        "« Washing » peut déjà vous aider :\n\n"
        "Lavez la couette à 40 °C.\n\n"
        "Bien à vous,\nNordfeld"
    )


def test_a_title_with_braces_stays_as_it_is() -> None:
    titled = ENTRY.model_copy(update={"title": "{title} {0} {x}"})
    said = introduced(DRAFT.model_copy(update={"citations": (titled,)}), ClientSettings(), "N")
    assert "“{title} {0} {x}”" in said
