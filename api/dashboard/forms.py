"""A form that a page sends: `application/x-www-form-urlencoded`, each field once."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from api.http.client_address import limited_address
from api.http.json_body import received
from domain.core.errors import InvalidBody, UnsupportedMediaType

_FORM: Final = "application/x-www-form-urlencoded"
_MAX_FIELDS: Final = 100


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields by name. Raises UnsupportedMediaType, InvalidBody (also for a field that comes
    twice: two readers might not take the same one), and what `received` raises."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != _FORM:
        raise UnsupportedMediaType
    if not hasattr(request.state, "caller"):  # as yet nobody knows who sends it
        request.state.caller = f"ip:{limited_address(request)}"
    body = await received(request)
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except ValueError:  # bad UTF-8 as well
        raise InvalidBody("formulaire attendu") from None
    fields = dict(pairs)
    if len(fields) != len(pairs) or any("\0" in value for value in fields.values()):
        raise InvalidBody("champ répété ou caractère NUL")
    return fields
