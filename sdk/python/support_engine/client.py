"""The client: all operations, with retries and typed errors."""

from types import TracebackType
from typing import Final, Self

import httpx

from support_engine.api_error import error_of
from support_engine.errors import BY_CODE
from support_engine.generated.client import AuthenticatedClient
from support_engine.generated.operations import KEYED, AllOperations
from support_engine.retrying import Retrying

ATTEMPTS: Final = 4
TIMEOUT_S: Final = 60.0


class SupportEngine(AllOperations):
    """A client of the API. Its attributes are the document's tags, and their methods the
    operations: `engine.runs.list(limit=20)`.

    `base_url`: the address of the API. `key`: an API key, or a session token for the dashboard's
    operations. `attempts`: how often a request is sent at most; 1 means no retries. `timeout_s`:
    the seconds to wait for a response. `transport`: the transport that sends the requests.
    Operations raise ApiError or one of the classes in `support_engine.errors`, and
    httpx.TransportError.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        attempts: int = ATTEMPTS,
        timeout_s: float = TIMEOUT_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        sender = Retrying(transport or httpx.HTTPTransport(), attempts=attempts, keyed=KEYED)
        self._generated = AuthenticatedClient(
            base_url=base_url,
            token=key,
            timeout=httpx.Timeout(timeout_s),
            httpx_args={"transport": sender, "event_hooks": {"response": [_raise_error]}},
        )
        super().__init__(self._generated)

    def close(self) -> None:
        """Close the connections."""
        self._generated.get_httpx_client().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _raise_error(response: httpx.Response) -> None:
    if response.status_code >= 400:
        response.read()
        raise error_of(response, BY_CODE)
