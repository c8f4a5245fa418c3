"""A process that normalizes large events."""

from adapters.normalizing.inline import normalize_inline
from adapters.normalizing.wire import Answer, Request
from adapters.processes.serving import serve
from domain.core.errors import OverBudget
from domain.intake.event import InboundEvent


def _answer(request: bytes) -> bytes:
    return _answered(request).model_dump_json().encode()


def _answered(request: bytes) -> Answer:
    try:
        asked = Request.model_validate_json(request)
        done = normalize_inline(
            asked.event,
            fallback_ticket_id=asked.fallback_ticket_id,
            authserv_ids=asked.authserv_ids,
        )
    except OverBudget:
        return Answer()
    except Exception as error:  # noqa: BLE001 - reported by its type, and the process goes on
        return Answer(failed=type(error).__name__)
    return Answer(event=done.event, steps=done.steps)


def _warm_up() -> None:
    """Load the word lists before the first event, so that the loading time does not count toward
    that event's CPU time."""
    mail = InboundEvent(
        event_type="email.inbound",
        payload={"subject": "Order 1042", "html_body": "<p>Where is my order?</p>"},
    )
    normalize_inline(mail, fallback_ticket_id="", authserv_ids=())


if __name__ == "__main__":
    serve(_answer, warm_up=_warm_up)
