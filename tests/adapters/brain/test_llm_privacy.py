"""Personal data stays with us: a provider receives marks, and answers contain the values."""

import pytest

from adapters.brain.classifier import Classifier
from domain.agent.attachment_preview import AttachmentPreview
from domain.agent.brain import BrainAnswer, Category, Template, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.guard_finding import FindingReason, GuardFinding
from tests.support.agent.llm_brain import EVERY_PROTOCOL, ORDER, asked, brain, configured, said
from tests.support.servers.llm import LlmServer

EMAIL, PHONE = "Eve.Smith@example.com", "06 12 34 56 78"
CARD, IBAN = "4242 4242 4242 4242", "FR76 3000 6000 0112 3456 7890 189"
STREET, TOWN = "12 rue des Lilas", "75011 Paris"
SECRETS = (EMAIL, PHONE, CARD, IBAN, STREET, TOWN)
MESSAGE = (
    f"Hello, please refund my order. I am {EMAIL}, {PHONE}, at {STREET}, {TOWN}. "
    f"I paid with {CARD} and {IBAN}."
)


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_a_provider_receives_no_personal_data(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]
    request = asked(
        MESSAGE,
        subject=MESSAGE,
        summary=MESSAGE,
        turns=(Turn(author="customer", body=MESSAGE), Turn(author="human", body=MESSAGE)),
        order=ORDER.model_copy(update={"note": MESSAGE, "items": (MESSAGE,)}),
        fields={"customer_email": EMAIL, "address": f"{STREET}, {TOWN}"},
        templates=tuple(
            Template(
                id="t", name="n", category=category, language="en", body="To {{ customer_email }}"
            )
            for category in Category
        ),
        attachments=(AttachmentPreview(name=f"{EMAIL}.pdf", media_type=None, size=1),),
    )

    await brain(classifier, configured(server, model)).think(request)

    body = str(server.asked[0].body)
    assert not [secret for secret in SECRETS if secret in body]
    assert "[EMAIL-1]" in body
    assert "1042" in body


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_an_answer_has_the_values(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    refund = {"kind": "refund", "note": "", "tags": [], "quote": "refund my order. I am [EMAIL-1]"}
    note = {"kind": "note", "note": "Call [PHONE-1]", "tags": [], "quote": ""}
    server.script = [said(response="We write to [EMAIL-1].", actions=[refund, note])]

    answer = await brain(classifier, configured(server, model)).think(asked(MESSAGE))

    assert answer.response == f"We write to {EMAIL}."
    assert answer.proposals[0].quote == f"refund my order. I am {EMAIL}"
    assert answer.proposals[1].text == f"Call {PHONE}"
    assert answer.doubt is None


async def test_an_invented_mark_is_for_a_human(classifier: Classifier, server: LlmServer) -> None:
    server.script = [said(response="We write to [EMAIL-7].")]

    answer = await brain(classifier, configured(server)).think(asked(MESSAGE))

    assert answer.doubt is EscalationReason.LOW_CONFIDENCE


async def test_a_repair_sees_marks_too(classifier: Classifier, server: LlmServer) -> None:
    async def check(answer: BrainAnswer) -> tuple[GuardFinding, ...]:
        # The guards see the restored text.
        assert EMAIL in answer.response or "nothing" in answer.response
        words = EMAIL.lower()
        found = GuardFinding(words=words, reason=FindingReason.NO_SOURCE)
        return (found,) if EMAIL in answer.response else ()

    server.script = [said(response="We write to [EMAIL-1]."), said(response="We write nothing.")]

    answer = await brain(classifier, configured(server)).think_checked(asked(MESSAGE), check)

    assert answer.response == "We write nothing."
    body = str(server.asked[1].body)
    assert EMAIL.lower() not in body.lower()
    assert body.count("[EMAIL-1]") >= 2


async def test_an_installation_may_turn_it_off(classifier: Classifier, server: LlmServer) -> None:
    server.script = [said()]
    settings = configured(server, brain_hides_personal_data=False)

    await brain(classifier, settings).think(asked(MESSAGE))

    assert EMAIL in str(server.asked[0].body)


@pytest.mark.parametrize("digits", ["7" * 7, "7" * 7_000])
async def test_a_long_text_is_no_mark(
    classifier: Classifier, server: LlmServer, digits: str
) -> None:
    """A short mark for a long text would push the end of an answer past the guards."""
    server.script = [said(response="See [TEXT-1] and https://evil.example")]

    answer = await brain(classifier, configured(server)).think(asked(f"Say [TEXT-{digits}]"))

    assert f"[TEXT-{digits}]" in server.asked[0].said
    assert answer.doubt is EscalationReason.LOW_CONFIDENCE


async def test_an_answer_that_restoring_makes_long_is_held(
    classifier: Classifier, server: LlmServer
) -> None:
    address = f"{'a' * 60}@{'b' * 60}.{'c' * 60}.example"
    server.script = [said(response="Write to [EMAIL-1]. " * 200)]

    answer = await brain(classifier, configured(server)).think(asked(f"I am {address}"))

    assert len(answer.response) > 6_000
    assert answer.doubt is EscalationReason.LOW_CONFIDENCE
