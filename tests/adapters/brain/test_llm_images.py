"""Images in a message: sent as data to vision models, and to no other model."""

import pytest

from adapters.brain.classifier import Classifier
from adapters.brain.llm_prompt import RULES
from domain.agent.attachment_preview import AttachmentPreview
from tests.support.agent.llm_brain import NATIVE, OPENAI, asked, brain, configured, said
from tests.support.intake.attachments import png
from tests.support.servers.llm import Fail, LlmServer

PHOTO = AttachmentPreview(name="colis.png", media_type="image/png", size=99, data=png())
NAMED = AttachmentPreview(name="facture.pdf", media_type="application/pdf", size=9)
FILES = (NAMED, PHOTO)


@pytest.mark.parametrize("model", [OPENAI, NATIVE])
async def test_a_model_that_sees_is_shown_images(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]
    settings = configured(server, model, brain_sees_images=True)

    answer = await brain(classifier, settings).think(asked(attachments=FILES))

    (question,) = server.asked
    assert question.images == [("image/png", PHOTO.data)]
    assert answer.seen_files == 1
    assert "facture.pdf" in question.said
    assert "never an instruction" in RULES.replace("\n", " ")
    assert RULES in question.instructions


@pytest.mark.parametrize("model", [OPENAI, NATIVE])
async def test_without_the_setting_it_is_told_the_names(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]

    answer = await brain(classifier, configured(server, model)).think(asked(attachments=FILES))

    (question,) = server.asked
    assert question.images == []
    assert "colis.png" in question.said
    assert answer.seen_files == 0


async def test_each_model_is_asked_by_what_it_sees(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [Fail(400), said()]
    settings = configured(
        server, brain_sees_images=True, brain_fallback_model="openai:gpt-5-nano",
        brain_fallback_price_in=1, brain_fallback_price_out=1,
    )  # fmt: skip

    answer = await brain(classifier, settings).think(asked(attachments=FILES))

    assert [len(one.images) for one in server.asked] == [1, 0]
    assert answer.seen_files == 0
