"""The edge: connection limits that apply before the caller is authenticated.

It adds the limits that uvicorn lacks, and depends on uvicorn's internals, which
`tests/api/http/test_protocol.py` checks.
"""

import asyncio
from typing import Any, ClassVar

import httptools
from uvicorn._types import (
    ASGI3Application,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
)
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from adapters.system import new_ulid
from api.error_response import error_response
from api.http.edge_connections import EdgeConnections, Waiting
from api.http.edge_limits import DEFAULT_LIMITS, EdgeLimits
from api.http.edge_timer import Timer
from api.http.edge_turns import EdgeTurns
from api.http.edge_watch import EdgeWatch
from api.http.http_1_0 import without_chunks
from api.http.request_head import head_size, is_sound, without_upgrade
from api.http.request_steps import StepsInTurn
from domain.core.errors import DomainError, HeadTooLarge, InvalidRequest


def edge_protocol(watch: EdgeWatch, limits: EdgeLimits = DEFAULT_LIMITS) -> type["EdgeProtocol"]:
    """Return the protocol class to pass to uvicorn as `http`. Each server needs a separate class
    because the class counts the server's connections."""

    class Edge(EdgeProtocol):
        pass

    Edge.watch = watch
    Edge.limits = limits
    Edge.edge_connections = EdgeConnections(limits)
    Edge.turns = EdgeTurns(limits.turn_s)
    return Edge


class EdgeProtocol(HttpToolsProtocol):
    """One connection, which alternates between request heads and responses.

    After a rejection, it is `deaf`: it discards data until the peer has had time to read the error.
    """

    watch: ClassVar[EdgeWatch]
    limits: ClassVar[EdgeLimits]
    edge_connections: ClassVar[EdgeConnections]
    turns: ClassVar[EdgeTurns]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._in_head = True
        self._deaf = False
        self._why: DomainError = InvalidRequest()
        self._chunk = 0  # The bytes that the parser is currently processing.
        self._held = 0  # Bytes received that do not yet form a complete head or body.
        self._served: RequestResponseCycle | None = None
        self._deadline = Timer(self.loop, self.give_up)
        self._stall = Timer(self.loop, self.give_up)

    # --- Connection life cycle ------------------------------------------------------------------

    # uvicorn narrows the parameter's type in the same way because it only serves streams.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        try:
            self.edge_connections.enter(self, self.client[0] if self.client else None)
        except DomainError as full:
            self._refuse(full)
            return
        self.edge_connections.waits(self, Waiting.NEW)
        self._deadline.set(self.limits.head_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.forget()
        self._stall.forget()
        self._unset_keepalive_if_required()
        self.edge_connections.leave(self)
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close the connection immediately, even with data in transit."""
        self.edge_connections.leave(self)
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.edge_connections.waits(self, Waiting.UNREAD)
        self._stall.expect(self.limits.stalled_s)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stall.forget()
        if self._is_idle():
            self.edge_connections.waits(self, Waiting.IDLE)
        else:
            self.edge_connections.is_served(self)
        if self.transport.is_closing():
            self._stall.expect(self.limits.stalled_s)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._stall.expect(self.limits.stalled_s)

    # --- Reading ------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._unset_keepalive_if_required()
        try:
            self._feed(data)
            if self._held > self.limits.head_bytes:
                raise self._because(HeadTooLarge())
        except (httptools.HttpParserError, DomainError):
            self._refuse(self._why)
            return
        if self._is_idle() and not self._deadline.is_set:
            self._deadline.set(self.limits.head_s)

    def _feed(self, data: bytes) -> None:
        self._chunk = len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._feed(self._head_without_upgrade() + data[upgrade.args[0] :])
        else:
            self._held += self._chunk

    def _head_without_upgrade(self) -> bytes:
        """Parse the request again without its upgrade header, which would make the parser discard
        the body. Every Java client requests an upgrade to HTTP/2."""
        head = without_upgrade(
            self.parser.get_method(), self.url, self.parser.get_http_version(), self.headers
        )
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return head

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= self.limits.pipelined:
            raise self._because(InvalidRequest())
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # The trailers of a chunked body arrive too late for the header checks.
        if len(self.headers) >= self.limits.headers:
            raise self._because(HeadTooLarge())
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if head_size(self.url, self.headers) > self.limits.head_bytes:
            raise self._because(HeadTooLarge())
        version, method = self.parser.get_http_version(), self.parser.get_method()
        if not is_sound(method, version, self.headers):
            raise self._because(InvalidRequest())
        if self.parser.should_upgrade():
            return
        super().on_headers_complete()
        self._in_head, self._held = False, -self._chunk
        self._deadline.forget()
        self.edge_connections.is_served(self)

    def on_body(self, body: bytes) -> None:
        self._held = -self._chunk
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._in_head, self._held = True, -self._chunk
        super().on_message_complete()

    # --- Answering ----------------------------------------------------------------------------

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._served = cycle
        super()._start_asgi_task(cycle, self._guarded(cycle, app))

    def _guarded(self, cycle: RequestResponseCycle, app: ASGI3Application) -> ASGI3Application:
        """Return a wrapper around the application, which runs in its caller's turns. The wrapped
        application is notified of a disconnect only after it has received the complete body."""

        async def run(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            if scope["type"] == "http" and scope["http_version"] == "1.0":
                send = without_chunks(cycle, self.transport, send)

            async def receive_all() -> ASGIReceiveEvent:
                message = await receive()
                if message["type"] != "http.disconnect" or cycle.more_body or not cycle.body:
                    return message
                # The caller disconnected after sending the entire request. Deliver the body, so
                # that the event is not lost.
                body, cycle.body = bytes(cycle.body), bytearray()
                return {"type": "http.request", "body": body, "more_body": False}

            async def send_on(message: ASGISendEvent) -> None:
                if message["type"] == "http.response.start" and self._is_last(cycle):
                    # Send the response with `Connection: close`, but do not let uvicorn close the
                    # connection, because `_linger` closes it.
                    cycle.keep_alive = False
                    await send(message)
                    cycle.keep_alive = True
                else:
                    await send(message)

            await app(scope, receive_all, send_on)

        async def run_in_turn(
            scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
        ) -> None:
            caller = self.edge_connections.turns_of(self, cycle.scope["headers"])
            await StepsInTurn(run(scope, receive, send), self.turns, caller)

        return run_in_turn

    def _is_last(self, cycle: RequestResponseCycle) -> bool:
        """Return whether this is the connection's last request. It is the last if its body is
        incomplete or the connection discards further data."""
        return cycle.more_body or (self._deaf and not self.pipeline)

    def on_response_complete(self) -> None:
        done = self._served
        super().on_response_complete()
        if self.transport.is_closing():
            self._stall.expect(
                self.limits.stalled_s
            )  # The connection is closed after the remaining data has been sent.
        elif done is None or done is not self._served:
            pass  # The next response is already in progress.
        elif self._is_last(done):
            self._linger()
        else:
            self.edge_connections.waits(self, Waiting.IDLE)

    def _is_idle(self) -> bool:
        return self._in_head and (self._served is None or self._served.response_complete)

    # --- Refusing -----------------------------------------------------------------------------

    def _because(self, error: DomainError) -> DomainError:
        """Store the error in `_why` and return it. Otherwise the original error would be lost
        because the parser replaces errors raised by its callbacks."""
        self._why = error
        return error

    def _refuse(self, error: DomainError) -> None:
        """Stop reading, send the error response after the pending responses, then disconnect."""
        self._deaf = True
        self._deadline.forget()
        unanswered = [cycle for cycle, _ in reversed(self.pipeline)]
        if self._served is not None and not self._served.response_complete:
            unanswered.insert(0, self._served)
        if not self._in_head:  # The newest request's body is incomplete.
            broken = unanswered.pop()
            broken.disconnected = True
            broken.message_event.set()
            if unanswered:
                self.pipeline.popleft()
            elif broken.response_started:
                self.give_up()
                return
        if not unanswered:
            self._write_error(error)
            self._linger()

    def _write_error(self, error: DomainError) -> None:
        request_id = new_ulid()
        response = error_response(error, request_id)
        self.watch.refused(error, response.status_code, request_id)
        headers = [
            *self.server_state.default_headers,
            *response.raw_headers,
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        head = b"".join(b"%s: %s\r\n" % header for header in headers)
        self.transport.write(
            b"".join([STATUS_LINE[response.status_code], head, b"\r\n", bytes(response.body)])
        )

    def _linger(self) -> None:
        """Close the sending side of the connection, and keep reading for `linger_s` seconds. If
        both directions were closed immediately, the kernel would reset the connection, and the
        caller could lose the response."""
        self._deaf = True
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.transport.write_eof()
        self.edge_connections.waits(self, Waiting.NEW)
        self._deadline.set(self.limits.linger_s)
