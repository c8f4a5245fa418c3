"""A widget session's messages and state for the visitor, as one page or as an event stream."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog
from pydantic import TypeAdapter

from api.http.json_body import json_bytes
from api.widget_streams import WidgetStreams
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.widget.shown_message import MESSAGES_A_READ, SessionState, ShownMessage
from domain.widget.widget_session import HeldSession
from store.core.client_turns import SharedWork
from store.core.database import Database
from store.widget.session_messages import SessionMessageRepository
from store.widget.session_states import SessionStateRepository

_log = structlog.get_logger("api")

_MESSAGE: Final = TypeAdapter(ShownMessage)
_STATE: Final = TypeAdapter(SessionState)
_ALIVE: Final = b":\n\n"
_NOTHING: Final = SessionState()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages and state of a widget session. `started` is true if the session has a message
    and has not ended. `more` is true if more messages follow."""

    messages: tuple[ShownMessage, ...] = ()
    state: SessionState = _NOTHING
    started: bool = False

    @property
    def more(self) -> bool:
        return len(self.messages) == MESSAGES_A_READ


class SessionReader:
    """A reader for one of a client's widget sessions. It returns an empty conversation if the
    session has no message yet or has ended, or if the session's holder may no longer open it."""

    def __init__(
        self, database: Database, tenant: TenantId, session: HeldSession, now: Clock
    ) -> None:
        self.tenant: Final = tenant
        self._database = database
        self._session = session
        self._now = now

    async def read(self, after: int, *, as_part_of: SharedWork | None = None) -> Conversation:
        """Return the session's state and the messages after number `after`. `as_part_of` is passed
        to `Database.reading`. Raises EngineUnavailable."""
        async with self._database.reading(self.tenant, as_part_of=as_part_of) as connection:
            # Read the state before the messages. Otherwise the state could announce an answer that
            # the messages do not contain.
            standing = await SessionStateRepository(connection, self.tenant).standing(
                self._session.id, self._now()
            )
            if standing is None or not self._session.opens(standing.verified_email):
                return Conversation()
            messages: tuple[ShownMessage, ...] = ()
            if standing.last_number > after:
                messages = await SessionMessageRepository(connection, self.tenant).listed(
                    self._session.id, after
                )
        return Conversation(messages, standing.state, started=True)


class SessionFeed:
    """The events of one stream. `is_welcome` is a callback that returns True while the stream's key
    and origin are valid."""

    def __init__(
        self,
        reader: SessionReader,
        streams: WidgetStreams,
        after: int,
        is_welcome: Callable[[], Awaitable[bool]],
    ) -> None:
        self._reader = reader
        self._streams = streams
        self._after = after
        self._is_welcome = is_welcome
        self._sent_state: SessionState | None = None
        self._started = False

    async def pieces(
        self, session: str, address: str, network: str, *, pays: bool
    ) -> AsyncGenerator[bytes]:
        """Yield each message after number `after` once, and each change in the session's state.

        A PostgreSQL notification or the next heartbeat triggers a read. Parameters are as for
        `WidgetStreams.place`. Raises CallerBusy, ServerBusy and EngineUnavailable before the first
        piece.
        """
        with self._streams.place(session, address, network, pays=pays) as place:
            found: Conversation | None = await self._read()
            while True:
                if found is not None:
                    if self._started and not found.started:
                        return
                    self._started = found.started
                    if piece := self._new_of(found):
                        yield piece
                if found is None or not found.more:
                    if place.is_over:
                        return
                    if not await place.news(self._streams.silence_s):
                        if not await self._goes_on():
                            return
                        yield _ALIVE
                if place.is_given_up:
                    return
                found = await self._read_again()

    def _new_of(self, found: Conversation) -> bytes:
        pieces = [message_event(message) for message in found.messages]
        if found.messages:
            self._after = found.messages[-1].number
        if found.state != self._sent_state:
            self._sent_state = found.state
            pieces.append(state_event(found.state))
        return b"".join(pieces)

    async def _read(self) -> Conversation:
        # This read uses one of WIDGET_STREAMS's connection slots. With the client's own slot, a
        # read that waits for a lock would block the client's other requests.
        async with self._streams.reading.turn(self._reader.tenant):
            return await self._reader.read(self._after, as_part_of=SharedWork.WIDGET_STREAMS)

    async def _read_again(self) -> Conversation | None:
        """Read the session again, or return None while the database is unavailable. The next read
        returns the missed messages."""
        try:
            return await self._read()
        except EngineUnavailable:
            _log.warning("widget stream is waiting for the database")
            return None

    async def _goes_on(self) -> bool:
        try:
            return await self._is_welcome()
        except EngineUnavailable:
            return True


def message_event(message: ShownMessage) -> bytes:
    """Return a server-sent event for a message. Its id is the message number, which a reconnecting
    browser sends as `Last-Event-ID`."""
    return b"event: message\nid: %d\ndata: %s\n\n" % (
        message.number,
        json_bytes(_MESSAGE.dump_python(message)),
    )


def state_event(state: SessionState) -> bytes:
    """Return a state event. The data cannot end the event early, because serialized JSON contains
    no line breaks."""
    return b"event: state\ndata: %s\n\n" % json_bytes(_STATE.dump_python(state))
