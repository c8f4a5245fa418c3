"""The port for a brain that uses a language model, and its lookups while it drafts an answer."""

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Final, Protocol, TypeVar, runtime_checkable

from pydantic import TypeAdapter, ValidationError

from domain.agent.brain import Brain, BrainAnswer, BrainRequest, Passage
from domain.agent.call_record import call_record
from domain.agent.guard_finding import GuardFinding
from domain.agent.safety.examined import is_unsafe
from domain.core.plain_text import clean_line
from domain.integrations.order import Lookup, LookupState, Order

MAX_LOOKUPS: Final = 6
"""Maximum number of lookups for one message."""

LOOKUP_S: Final = 1.5
"""Maximum time of a lookup, in seconds. Without this limit, a client's slow shop would use up the
time of the model's provider, which all clients share."""

MAX_QUERY_CHARS: Final = 300
"""Maximum length of a query and of an order number. Longer ones are truncated."""

_PASSAGES: Final = TypeAdapter(tuple[Passage, ...])
_LOOKUP: Final = TypeAdapter(Lookup)

Found = TypeVar("Found")


class BrainTools(Protocol):
    """The port for read-only lookups. They are bound to one client and to the sender of one
    message: no argument selects another client or customer."""

    @property
    def reads_orders(self) -> bool:
        """Whether the sender may access orders, and a shop is connected."""

    async def search(self, query: str) -> tuple[Passage, ...]:
        """Return the knowledge entries found for a query, best first. Raises EngineUnavailable."""

    async def order(self, number: str) -> Lookup:
        """Look up an order of the sender by its number. Raises EngineUnavailable."""


class Lookups:
    """The lookups for one message.

    They are limited in number and in time. After a slow lookup, there are no more. Their results
    are filtered like all other sources, and recorded, so that a repeated attempt gets the same
    results. `request` is the brain's request with everything found so far, and `found` are the
    knowledge entries found, including those withheld.
    """

    def __init__(self, tools: BrainTools | None, request: BrainRequest) -> None:
        self.request = request
        self.found: list[Passage] = []
        self._tools = tools
        self._calls = 0
        self._is_slow = False

    @property
    def may_search(self) -> bool:
        """Return True if a search can find an entry that the request does not contain."""
        return self._tools is not None and not self._is_slow and not self.request.knowledge

    @property
    def may_read_orders(self) -> bool:
        return self._tools is not None and not self._is_slow and self._tools.reads_orders

    async def search(self, query: str) -> tuple[Passage, ...]:
        """Return the knowledge entries found for a query, without entries that contain a prompt
        injection. Return none beyond MAX_LOOKUPS and LOOKUP_S. Raises EngineUnavailable."""
        tools, query = self._tools, clean_line(query, MAX_QUERY_CHARS)
        if tools is None or not self.may_search or not query or not self._is_counted():
            return ()
        call = _recorded(f"search\n{query}", _PASSAGES, lambda: tools.search(query))
        found = await self._in_time(call) or ()
        safe = tuple([one for one in found if not await is_unsafe(f"{one.title}\n{one.body}")])
        known = {one.id for one in (*self.request.passages, *self.found)}
        self.found += [one for one in found if one.id not in known]
        new = tuple(one for one in safe if one.id not in known)
        self._add(passages=(*self.request.passages, *new))
        return safe

    async def order(self, number: str) -> Order | None:
        """Return the sender's order with this number, without its note. Return None if there is no
        such order, if it belongs to someone else, if no shop responds, and beyond MAX_LOOKUPS and
        LOOKUP_S. Raises EngineUnavailable."""
        tools, number = self._tools, clean_line(number, MAX_QUERY_CHARS)
        if tools is None or not self.may_read_orders or not number or not self._is_counted():
            return None
        call = _recorded(f"order\n{number}", _LOOKUP, lambda: tools.order(number))
        lookup = await self._in_time(call)
        if lookup is None or lookup.state is not LookupState.FOUND or lookup.order is None:
            return None
        known = (self.request.order, *self.request.other_orders)
        for one in known:
            if one is not None and one.key == lookup.order.key:
                return one
        order = lookup.order.model_copy(update={"note": ""})
        self._add(other_orders=(*self.request.other_orders, order))
        return order

    async def _in_time(self, call: Awaitable[Found]) -> Found | None:
        try:
            async with asyncio.timeout(LOOKUP_S):
                return await call
        except TimeoutError:
            self._is_slow = True
            return None

    def _is_counted(self) -> bool:
        self._calls += 1
        return self._calls <= MAX_LOOKUPS

    def _add(self, **found: tuple[Passage, ...] | tuple[Order, ...]) -> None:
        self.request = self.request.model_copy(update=found)


DraftCheck = Callable[[BrainAnswer], Awaitable[tuple[GuardFinding, ...]]]
"""Returns the guard findings that a new version of a draft could avoid. The result is empty if the
draft passes, or if a human must review the answer in any case."""


@runtime_checkable
class ModelBrain(Brain, Protocol):
    """The port for a brain that can look up more than its request contains, and rewrite a rejected
    draft."""

    async def think_checked(
        self, request: BrainRequest, check: DraftCheck, lookups: Lookups | None = None
    ) -> BrainAnswer:
        """Return the brain's answer, like `think`. If `check` rejects the draft, the brain gets the
        findings and rewrites the draft once. `lookups` are those of `request`, or None if none are
        allowed."""
        ...


async def _recorded(
    call: str, shape: TypeAdapter[Found], find: Callable[[], Awaitable[Found]]
) -> Found:
    """Return the recorded result of a lookup, or the result of `find`, which is then recorded."""
    record = call_record()
    if record is None:
        return await find()
    key = sha256(call.encode("utf-8", "surrogatepass")).hexdigest()
    if (stored := await record.read(key)) is not None:
        try:
            return shape.validate_json(stored)
        except ValidationError:
            pass  # Another release recorded it.
    found = await find()
    await record.keep(key, shape.dump_json(found).decode())
    return found
