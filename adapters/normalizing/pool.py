"""Normalize events with limited resources. Large events are normalized in child processes that can
be killed."""

from typing import Final

from adapters.normalizing.inline import normalize_inline
from adapters.normalizing.wire import Answer, Request
from adapters.processes.process_pool import CPU_S, ProcessPool, WorkFailed
from domain.core.errors import OverBudget
from domain.intake.event import InboundEvent
from domain.intake.event_size import is_large
from domain.intake.ports import Normalized

_CHILD: Final = "adapters.normalizing.child"


class NormalizerPool:
    """A `Normalizer` that normalizes small events in the current process, and large events in a
    child process."""

    def __init__(self, *, cpu_s: float = CPU_S) -> None:
        self._processes = ProcessPool(_CHILD, cpu_s=cpu_s)

    async def normalize(
        self, event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...] = ()
    ) -> Normalized:
        """Return the normalized event. Raises OverBudget if the event exceeds its limits, and
        EngineUnavailable if no child process becomes free in time."""
        if not is_large(event):
            return normalize_inline(
                event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
            )
        request = Request(
            event=event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
        )
        came = await self._processes.ask(request.model_dump_json().encode())
        answer = Answer.model_validate_json(came)
        if answer.failed:
            raise WorkFailed(answer.failed)
        if answer.event is None:
            raise OverBudget
        return Normalized(answer.event, answer.steps)

    async def start(self) -> None:
        """Start the child processes, so that the first large event does not wait for them."""
        await self._processes.start()

    async def close(self) -> None:
        await self._processes.close()
