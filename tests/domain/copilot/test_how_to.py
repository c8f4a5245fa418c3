"""Instructions for the tasks that members ask about."""

import pytest

from domain.copilot.how_to import how_to


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Comment mettre une conversation en veille ?", "snooze"),
        ("How do I snooze a ticket?", "snooze"),
        ("Comment effacer un client ?", "erase"),
        ("Comment joindre un fichier à ma réponse ?", "file"),
        ("Comment augmenter la limite de remboursement ?", "limits"),
        ("How can we invite a colleague?", "invite"),
        ("How do I rotate a secret?", None),
        ("How do I verify the signature of a webhook?", None),
        ("", None),
    ],
)
def test_the_task_is_found(question: str, name: str | None) -> None:
    found = how_to(question, "fr")
    assert (found.name if found else None) == name


def test_the_text_is_in_the_questions_language() -> None:
    for tongue, button in (("fr", "« Fermer »"), ("en", "“Close”")):
        found = how_to("close the conversation", "en" if tongue == "en" else "fr")
        assert found is not None
        assert button in found.text
