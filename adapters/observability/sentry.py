"""The sender of error reports to Sentry. It sends one report at a time and waits until Sentry has
accepted it."""

from typing import Final, cast

import httpx
import sentry_sdk
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport
from sentry_sdk.types import Event, Hint
from sentry_sdk.utils import Dsn
from ulid import ULID

from adapters.observability.redaction import Redactor
from domain.core.error_report import ErrorReport
from domain.core.errors import EngineUnavailable

_SEND_S: Final = 5.0
# Status codes for reports that Sentry will never accept: invalid or too large.
_REFUSED: Final = frozenset({400, 413})
# The only fields that are sent. Other fields that a library might add (request, user, breadcrumbs,
# extra, modules, server_name) are dropped.
_EVENT_FIELDS: Final = frozenset(
    {"event_id", "timestamp", "level", "platform", "transaction", "message", "tags", "exception",
     "fingerprint", "environment", "release", "sdk"}
)  # fmt: skip
# These nested fields are removed: a frame's source code and local variables, and an exception's
# message.
_UNWANTED: Final = frozenset({"vars", "context_line", "pre_context", "post_context", "value"})


class ReportRefused(Exception):
    """Sentry will never accept this report."""


class _Outbox(Transport):
    """A transport that stores the last envelope instead of sending it. The caller sends the
    envelope, so that the outcome is known."""

    envelope: Envelope | None = None

    def capture_envelope(self, envelope: Envelope) -> None:
        self.envelope = envelope


class SentrySender:
    """The sender of reports to Sentry. The SDK builds and scrubs each event, with its integrations
    disabled."""

    def __init__(self, dsn: str, redactor: Redactor) -> None:
        self._redactor = redactor
        self._outbox = _Outbox()
        auth = Dsn(dsn).to_auth(f"support-engine/{sentry_sdk.VERSION}")
        self._url = auth.get_api_url()
        self._headers = {
            "content-type": "application/x-sentry-envelope",
            "x-sentry-auth": auth.to_header(),
        }
        self._http = httpx.AsyncClient(timeout=_SEND_S)
        self._client = sentry_sdk.Client(
            dsn=dsn,
            transport=self._outbox,
            before_send=self._scrub,
            # Integrations are disabled because they would capture additional errors. The SDK sends
            # no personal data by default.
            default_integrations=False,
            auto_enabling_integrations=False,
            max_breadcrumbs=0,
            max_request_body_size="never",
            include_local_variables=False,
            include_source_context=False,
            attach_stacktrace=False,
            auto_session_tracking=False,
            send_client_reports=False,
            enable_backpressure_handling=False,
            propagate_traces=False,
        )

    async def send(self, report_id: str, report: ErrorReport) -> None:
        """Send a report, which Sentry deduplicates by id. Raises EngineUnavailable if Sentry cannot
        accept it now, and ReportRefused if it never will."""
        self._outbox.envelope = None
        self._client.capture_event(_event(report_id, report))
        if self._outbox.envelope is None:
            raise ReportRefused
        try:
            answer = await self._http.post(
                self._url, content=self._outbox.envelope.serialize(), headers=self._headers
            )
        except httpx.HTTPError as error:
            raise EngineUnavailable("the error tracker did not answer") from error
        if answer.status_code in _REFUSED:
            raise ReportRefused
        if not answer.is_success:
            raise EngineUnavailable("the error tracker did not accept a report")

    async def close(self) -> None:
        await self._http.aclose()

    def _scrub(self, event: Event, _: Hint) -> Event | None:
        """Return an event with only the known fields, and with sensitive text in them masked."""
        known = {name: _bare(value) for name, value in event.items() if name in _EVENT_FIELDS}
        scrubbed: dict[str, object] = self._redactor.mapping(known)
        return cast("Event", scrubbed)


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return {name: _bare(inner) for name, inner in value.items() if name not in _UNWANTED}
    if isinstance(value, list):
        return [_bare(inner) for inner in value]
    return value


def _event(report_id: str, report: ErrorReport) -> Event:
    known = {
        "request_id": report.request_id,
        "client_id": report.client_id,
        "event_id": report.event_id,
    }
    first = report.exceptions[0].type if report.exceptions else ""
    event: Event = {
        "event_id": ULID.from_str(report_id).hex,
        "timestamp": report.created_at,
        "level": "error",
        "transaction": report.place,
        "message": report.code,
        "tags": {
            "code": report.code,
            "occurrences": str(report.occurrences),
            **{name: value for name, value in known.items() if value},
        },
        "fingerprint": [report.place, report.code, first],
    }
    if report.exceptions:
        event["exception"] = {
            "values": [
                {
                    "type": one.type,
                    "stacktrace": {
                        "frames": [
                            {"filename": it.file, "lineno": it.line, "function": it.function}
                            for it in one.frames
                        ]
                    },
                }
                # Sentry expects a cause before the exception that it caused.
                for one in reversed(report.exceptions)
            ]
        }
    return event
