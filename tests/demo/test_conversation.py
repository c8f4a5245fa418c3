"""The tour's summary of a conversation in the storefront's chat."""

from collections import Counter
from collections.abc import AsyncIterator

from rich.console import Console

from demo.chat import ChatReply, messages_in
from demo.conversation import ChatTranscript

STREAM = """\
: heartbeat

event: state
data: {"thinking": true, "waiting": false, "reviewing": false, "verified_email": null}

event: message
id: 2
data: {"number": 2, "author": "agent", "text": "Bonjour : data: oui", "created_at": "…"}

"""


def answer(status: str, event_id: str | None = None) -> ChatReply:
    return ChatReply(session_id="S", status=status, response="[b]ok[/b]", event_id=event_id)


def shown(course: ChatTranscript) -> str:
    console = Console(width=120, record=True)
    with console.capture() as written:
        console.print(course.table("The chat"))
    return " ".join(written.get().split())


def test_as_expected() -> None:
    course = ChatTranscript()
    course.answered(answer("verification_required"), "verification_required")
    course.answered(answer("completed", "E"), "completed", "ticket.resolved")
    assert (course.wrong, course.expected_events) == ([], {"E": Counter({"ticket.resolved": 1})})
    assert "as expected" in shown(course)
    assert "[b]ok[/b]" in shown(course)


def test_not_as_expected() -> None:
    course = ChatTranscript()
    course.answered(answer("failed", "E"), "completed", "ticket.resolved")
    assert course.wrong == ["completed, not failed"]
    assert "expected completed, not failed" in shown(course)


async def test_reads_the_stream_as_it_is_sent() -> None:
    async def lines() -> AsyncIterator[str]:
        for line in STREAM.splitlines():
            yield line

    (message,) = [one async for one in messages_in(lines())]
    assert (message.number, message.author, message.text) == (2, "agent", "Bonjour : data: oui")
