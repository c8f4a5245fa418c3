"""Messages with attachments: previews for reviewers, and images for the brain."""

from datetime import UTC, datetime
from typing import Final

from domain.agent.attachment_preview import (
    MAX_IMAGE_BYTES,
    AttachmentPreview,
    depends_on_files,
    images_to_show,
)
from domain.agent.brain import Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.intake.attachment import Attachment, AttachmentState
from domain.integrations.order import Lookup, LookupState
from tests.domain.agent.test_thinking import ANSWER, FixedBrain, thought, waits_for
from tests.support.agent.policy_context import an_event, an_order
from tests.support.core.each import each

PHOTO: Final = AttachmentPreview(name="colis.png", media_type="image/png", size=9)
KNOWN: Final = EscalationReason.MISSING_KNOWLEDGE


async def test_files_without_a_word_go_to_people_and_to_no_brain() -> None:
    for subject in (None, "IMG_2041"):
        brain = FixedBrain()
        event = an_event(text=" ", numbers=()).model_copy(update={"subject": subject})

        result = await thought(event, brain, attachments=(PHOTO,))

        assert waits_for(result) is KNOWN
        assert (brain.requests, result.text, result.sensitive) == ([], "", None)


async def test_who_speaks_of_a_file_is_answered_by_a_brain_that_saw_it() -> None:
    event = an_event(text="Hello, see the picture I attached", numbers=())
    saw = FixedBrain(ANSWER.model_copy(update={"seen_files": 1}))

    assert waits_for(await thought(event, attachments=(PHOTO,))) is KNOWN
    assert waits_for(await thought(event, saw, attachments=(PHOTO, PHOTO))) is KNOWN
    assert waits_for(await thought(event, saw, attachments=(PHOTO,))) is None


async def test_a_logo_in_a_signature_keeps_nobody_waiting() -> None:
    event = an_event(text="Hello there", numbers=())

    assert waits_for(await thought(event, attachments=(PHOTO,))) is None


async def test_with_an_image_that_was_seen_nothing_is_done_to_an_order() -> None:
    """The image's author may have included a text that the brain reads as a request."""
    text = "Please refund my order 1042"
    wish = Proposal(kind=ActionKind.REFUND, quote="Please refund my order 1042")
    answer = ANSWER.model_copy(update={"proposals": (wish,), "intents": (Intent.REFUND,)})
    found = Lookup(state=LookupState.FOUND, order=an_order())
    given = {"lookup": found, "attachments": (PHOTO,)}

    plain = await thought(an_event(text=text), FixedBrain(answer), **given)
    seen = await thought(
        an_event(text=text), FixedBrain(answer.model_copy(update={"seen_files": 1})), **given
    )

    assert ActionKind.REFUND in [action.kind for action in plain.plan]
    assert seen.hold is EscalationReason.POLICY_RESTRICTION


@each(
    [
        ("Voir la photo ci-jointe", (), True),
        ("La PIÈCE JOINTE le montre", (), True),
        ("See attached", (), True),
        ("It arrived broken", (Intent.DAMAGED_ON_ARRIVAL,), True),
        ("Where is my order?", (Intent.TRACK_ORDER,), False),
        ("My profile", (), False),
    ]
)
def test_what_depends_on_files(text: str, intents: tuple[Intent, ...], depends: bool) -> None:
    assert depends_on_files(text, intents) is depends


def test_as_many_images_as_there_is_room_for() -> None:
    def file(name: str, size: int = 1, media_type: str = "image/png") -> Attachment:
        return Attachment(
            id=name,
            event_id="e",
            name=name,
            media_type=media_type,
            size=size,
            state=AttachmentState.REFUSED if name == "refused" else AttachmentState.STORED,
            reason=None,
            created_at=datetime(2026, 11, 23, tzinfo=UTC),
        )

    files = [
        file("refused"),
        file("pdf", media_type="application/pdf"),
        file("heic", media_type="image/heic"),
        file("too large", MAX_IMAGE_BYTES + 1),
        *(file(str(number)) for number in range(6)),
    ]
    assert images_to_show(files) == {"0", "1", "2", "3"}
    half = MAX_IMAGE_BYTES // 2 + 1
    assert images_to_show([file("a", half), file("b", half), file("c", 9)]) == {"a", "c"}
