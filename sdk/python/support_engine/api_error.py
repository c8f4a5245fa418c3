"""The base of the API's errors. `support_engine.errors` has a class for each error code."""

from collections.abc import Mapping

import httpx


class ApiError(Exception):
    """An error response. `status`: the HTTP status. `code`: the stable error code. `body`: the
    whole response, with the additional fields of the code. `retry_after_s`: the seconds to wait
    before another attempt, if the service states them."""

    def __init__(
        self, status: int, body: Mapping[str, object], retry_after_s: float | None = None
    ) -> None:
        self.status = status
        self.body = dict(body)
        self.code = str(body.get("code", ""))
        self.request_id = str(body.get("request_id", ""))
        self.retry_after_s = retry_after_s
        super().__init__(f"{status} {self.code}: {body.get('error', '')}")


def error_of(response: httpx.Response, classes: Mapping[str, type[ApiError]]) -> ApiError:
    """Return the error of a response that has been read. A code without a class, for example a new
    one, is an ApiError."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        body = {"error": response.text[:200]}
    chosen = classes.get(str(body.get("code", "")), ApiError)
    return chosen(response.status_code, body, retry_after_of(response))


def retry_after_of(response: httpx.Response) -> float | None:
    """Return the seconds in the response's Retry-After header, or None."""
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isascii() and value.isdecimal() else None
