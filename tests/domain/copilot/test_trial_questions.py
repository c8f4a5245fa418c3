"""Recognition of the trial's questions, and of held-out paraphrases."""

from domain.copilot.question import CopilotMessage, CopilotQuestion, Speaker
from domain.copilot.question_kind import AskedOfCopilot, asked_of
from tests.support.copilot.held_out_phrasings import HELD_OUT
from tests.support.copilot.subjects import subject_of
from tests.support.copilot.trial_questions import TRIAL
from tests.support.core.each import each

FLOOR = 0.8


def asked(question: str) -> AskedOfCopilot:
    return asked_of(CopilotQuestion((CopilotMessage(Speaker.USER, question),)))


@each([(one.name, text) for one in TRIAL for text in (one.english, one.french)])
def test_the_trials_questions(name: str, text: str) -> None:
    assert subject_of(asked(text)) == name


@each(
    [(text, tongue) for one in TRIAL for text, tongue in ((one.english, "en"), (one.french, "fr"))]
)
def test_their_language(text: str, tongue: str) -> None:
    assert asked(text).tongue == tongue


def test_paraphrases() -> None:
    """`docs/copilot.md` states the figure."""
    assert [name for name, _ in HELD_OUT] == [one.name for one in TRIAL]
    assert all(len(texts) == 6 for _, texts in HELD_OUT)
    rows = [(name, text) for name, texts in HELD_OUT for text in texts]

    wrong = [
        (text, name, found) for name, text in rows if (found := subject_of(asked(text))) != name
    ]

    assert len(wrong) <= (1 - FLOOR) * len(rows), (len(wrong), len(rows), wrong)
