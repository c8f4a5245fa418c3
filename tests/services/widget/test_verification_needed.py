"""A visitor's message that is too expensive to read on the event loop."""

import pytest

from domain.widget.share import WidgetShare
from domain.widget.visit import Said, WidgetVisit
from services.widget import chat
from services.widget.chat import waits_for_verification
from tests.support.core.endless import endless_search

VISIT = WidgetVisit("S", "en", WidgetShare())


def test_a_message_that_is_too_expensive_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker limits the work on the admitted message as well, and hands it to a human."""
    event = Said("Where is my order?").event(VISIT)
    assert waits_for_verification(event)
    monkeypatch.setattr(chat, "needs_verification", lambda _: endless_search())

    assert not waits_for_verification(event)
