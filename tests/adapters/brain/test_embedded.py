"""What the embedded brain answers, and when it does not answer."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.brain.classifier import MODEL_PATH
from adapters.brain.request_for_human import asks_for_human
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from tests.support.agent.embedded_brain import (
    ONE_PER_CLASS,
    THRESHOLD,
    ask,
    assert_no_source,
    passage,
    template,
)


@pytest.mark.parametrize(
    ("text", "template_id"),
    [
        ("Where is my order?", "en-order_status"),
        ("où en est ma commande svp", "fr-order_status"),
        ("I would like a refund please", "en-refund_request"),
        ("Je veux être remboursé", "fr-refund_request"),
        ("My parcel is late", "en-shipping_issue"),
        ("Mon colis n'est toujours pas arrivé, il est en retard", "fr-shipping_issue"),
        ("Your service is terrible, I am furious", "en-complaint"),
        ("Votre service est lamentable", "fr-complaint"),
    ],
)
async def test_a_clear_message_gets_its_template_surely(text: str, template_id: str) -> None:
    answer = await ask(text, templates=ONE_PER_CLASS)

    assert [citation.id for citation in answer.citations] == [template_id]
    assert answer.citations[0].kind == "template"
    assert "Maison Test" in answer.response
    assert answer.confidence >= 0.75
    assert answer.doubt is None


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "help",
        "order",
        "livraison",
        "J'ai un problème",
        "J'ai un problème avec ma commande",
        "issue with my order",
        "bonjour j'ai une question",
        "dfgh sdfg",
        "ok",
        "test",
        "bonjour",
        "lol",
        "??",
        "well?",
        "svp",
        "urgent",
        "colis",
        "retour",
        "pourquoi",
        "les deux",
        "what about it?",
        "k",
    ],
)
async def test_a_vague_message_is_not_sure(text: str) -> None:
    answer = await ask(text, templates=ONE_PER_CLASS)

    assert answer.confidence < THRESHOLD


async def test_a_low_class_probability_is_a_doubt() -> None:
    answer = await ask("le colis la facture la taille", templates=ONE_PER_CLASS)

    assert answer.response
    assert answer.doubt is EscalationReason.LOW_CONFIDENCE


async def test_the_answer_carries_what_the_classifier_saw() -> None:
    answer = await ask("Where is my order?", templates=ONE_PER_CLASS)

    assert answer.classification is Category.ORDER_STATUS
    assert answer.language == "en"
    confidences = [alternative.confidence for alternative in answer.alternatives]
    assert len(confidences) == 3
    assert confidences == sorted(confidences, reverse=True)
    assert Category.ORDER_STATUS not in {a.category for a in answer.alternatives}
    digest = hashlib.sha256(MODEL_PATH.read_bytes()).hexdigest()
    assert answer.model == f"embedded:{digest[:8]}"
    assert (answer.tokens_in, answer.tokens_out, answer.cost_micros) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "lowest", "highest"),
    [
        ("You are thieves, I am furious", -1, -0.6),
        ("C'est une honte, je suis dégoûtée de votre marque", -1, -0.6),
        ("Where is my order 1042?", -0.2, 0.2),
        ("Mon colis a deux jours de retard, pouvez-vous vérifier ?", -0.2, 0.2),
        ("Thank you so much, the dress is gorgeous", 0.6, 1),
        ("Merci mille fois, tout est parfait", 0.6, 1),
    ],
)
async def test_the_mood_is_told(text: str, lowest: float, highest: float) -> None:
    assert lowest <= (await ask(text)).sentiment <= highest


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Wo ist meine Bestellung? Ich warte seit zwei Wochen"),
        ("es", "¿Dónde está mi pedido? Todavía no ha llegado"),
        ("it", "Buongiorno, dov'è il mio ordine?"),
        ("nl", "Waar is mijn bestelling gebleven?"),
        ("pt", "Onde está a minha encomenda?"),
        ("zh", "我的订单在哪里"),
        ("ru", "Где мой заказ? ok"),
    ],
)
async def test_other_languages_are_for_a_human(language: str, text: str) -> None:
    answer = await ask(text, templates=ONE_PER_CLASS)

    assert answer.language == language
    assert answer.doubt is EscalationReason.UNSUPPORTED_REQUEST
    assert_no_source(answer)
    assert answer.confidence <= 0.2


@pytest.mark.parametrize(
    "text",
    [
        "Je veux parler à un conseiller",
        "parler a quelqu'un svp",
        "Où est ma commande ? Passez-moi un responsable",
        "Puis-je être rappelé par une conseillère ?",
        "je ne veux pas parler à un robot",
        "a real person please",
        "Can I speak to someone?",
        "I WANT TO TALK TO A HUMAN!!",
        "I don't want to talk to a bot",
        "connect me with your customer service team",
    ],
)
async def test_a_request_for_a_human_is_granted(text: str) -> None:
    answer = await ask(text, templates=ONE_PER_CLASS)

    assert answer.doubt is EscalationReason.CUSTOMER_REQUEST
    assert_no_source(answer)
    assert answer.confidence < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Pouvez-vous me conseiller sur la taille ?",
        "I talked to an agent yesterday who was rude",
        "Votre conseillère au téléphone a été désagréable",
        "Is the wig made of human hair?",
        "No need to talk to an agent, thanks",
        "pas besoin de parler à un conseiller",
        "es-tu un robot ?",
        "Je cherche un cadeau pour une personne âgée",
        "I need a person-sized tent",
    ],
)
def test_to_mention_people_is_no_such_request(text: str) -> None:
    assert not asks_for_human(text)


@pytest.mark.parametrize(
    "text", ["Merci, tout est parfait !", "c'est bon", "ok thanks bye", "Thank you!\nCamille Roy"]
)
async def test_thanks_close_without_an_answer(text: str) -> None:
    answer = await ask(text, templates=ONE_PER_CLASS)

    assert answer.closes
    assert answer.intents == (Intent.THANKS,)
    assert (answer.classification, answer.response) == (Category.OTHER, "")
    assert (answer.citations, answer.proposals, answer.doubt) == ((), (), None)
    assert answer.confidence >= THRESHOLD


@pytest.mark.parametrize("text", ["merci pour rien", "Merci de me rembourser", "ok"])
async def test_what_only_sounds_like_thanks_does_not_close(text: str) -> None:
    assert not (await ask(text, templates=ONE_PER_CLASS)).closes


async def test_another_language_has_the_nearest_entry_as_its_source_and_no_draft() -> None:
    near = passage("Returns", "Send it back within 30 days.", passage_id="p2", rank=0.1)
    answer = await ask(
        "Ich möchte das Kleid zurückgeben, wie geht das?",
        passages=[
            passage("Delivery", "We deliver within 5 days.", passage_id="p1", rank=0.2).model_copy(
                update={"similarity": 0.7}
            ),
            near.model_copy(update={"similarity": 0.8}),
        ],
    )

    assert [(cited.kind, cited.id) for cited in answer.citations] == [("knowledge", "p2")]
    assert answer.response == ""
    assert answer.language == "de"
    assert answer.doubt is EscalationReason.UNSUPPORTED_REQUEST


@pytest.mark.parametrize("text", ["", "   \n", "12345", "?!...", "😀👍", "\u200b\x00"])
async def test_a_wordless_text_is_not_answered(text: str) -> None:
    answer = await ask(text, templates=ONE_PER_CLASS)

    assert answer.classification is Category.OTHER
    assert answer.doubt is EscalationReason.UNSUPPORTED_REQUEST
    assert_no_source(answer)
    assert answer.confidence <= 0.2


async def test_the_subject_speaks_for_an_empty_mail() -> None:
    answer = await ask("", subject="Where is my order?", templates=ONE_PER_CLASS)

    assert answer.citations[0].id == "en-order_status"


SOME_TEXT = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(
            ["jacket", "size", "?", "taille", "{{ a }}", "\n", "order", "est", "é", "human", "."]
        ),
        max_size=40,
    ).map(" ".join),
)


@settings(max_examples=200, deadline=None)
@given(
    text=SOME_TEXT,
    subject=st.none() | SOME_TEXT,
    title=SOME_TEXT,
    body=SOME_TEXT,
    fields=st.dictionaries(st.sampled_from(["a", "customer_name"]), SOME_TEXT),
)
async def test_any_request_is_answered_within_bounds(
    text: str, subject: str | None, title: str, body: str, fields: dict[str, str]
) -> None:
    passages = [passage(title, body), passage(title, body, "fr")]
    templates = [template(category, body) for category in Category]

    answer = await ask(text, subject=subject, templates=templates, passages=passages, fields=fields)

    assert 0 <= answer.confidence <= 1
    if not answer.citations:
        assert_no_source(answer)
    assert answer == await ask(
        text, subject=subject, templates=templates, passages=passages, fields=fields
    )


async def test_a_question_beyond_the_beginning_of_a_long_message() -> None:
    """Only the beginning of a text is searched for words, but the questions of all of it."""
    story = "I was very pleased with the lamp for a long time. " * 60

    answer = await ask(f"{story}Does the warranty cover a broken dimmer?", templates=ONE_PER_CLASS)

    assert answer.language == "en"
