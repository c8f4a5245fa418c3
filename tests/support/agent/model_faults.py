"""Every kind of fault of a model provider, as replies of the local server."""

import json
from collections.abc import Callable
from typing import Any, Final

from domain.agent.model_fault import ModelFault
from tests.support.agent.llm_brain import said
from tests.support.servers.llm import (
    TOKENS_IN,
    TOKENS_OUT,
    Cut,
    Drip,
    Fail,
    Flood,
    Raw,
    Reply,
    Say,
)
from tests.support.servers.llm_whole import whole_completion


def _completion(change: Callable[[dict[str, Any]], object]) -> Raw:
    """Return a completion in OpenAI's format, after `change`."""
    body = whole_completion("gpt-5-mini", said().answer, None, (TOKENS_IN, TOKENS_OUT))
    change(body)
    return Raw(json.dumps(body).encode())


def _ended(reason: str, content: str | None) -> Raw:
    def change(body: dict[str, Any]) -> None:
        body["choices"][0]["finish_reason"] = reason
        body["choices"][0]["message"]["content"] = content

    return _completion(change)


FAULTS: Final[dict[str, tuple[Reply, ModelFault]]] = {
    "server_error": (Fail(500), ModelFault.OUTAGE),
    "bad_gateway": (Fail(502), ModelFault.OUTAGE),
    "unavailable": (Fail(503), ModelFault.OUTAGE),
    "overloaded": (Fail(529), ModelFault.OUTAGE),
    "redirect": (Fail(302), ModelFault.OUTAGE),
    "broken_connection": (Cut(), ModelFault.OUTAGE),
    "endless_body": (Flood(), ModelFault.OUTAGE),
    "compressed_body": (Raw(b"x", {"content-encoding": "gzip"}), ModelFault.OUTAGE),
    "html": (Raw(b"<html>down</html>"), ModelFault.OUTAGE),
    "empty_body": (Raw(b""), ModelFault.OUTAGE),
    "unauthorized": (Fail(401), ModelFault.UNAUTHORIZED),
    "forbidden": (Fail(403), ModelFault.UNAUTHORIZED),
    "payment_required": (Fail(402), ModelFault.QUOTA_EXCEEDED),
    "quota": (Fail(429, code="insufficient_quota"), ModelFault.QUOTA_EXCEEDED),
    "rate_limit": (Fail(429, {"retry-after": "3600"}), ModelFault.RATE_LIMITED),
    "not_found": (Fail(404), ModelFault.NOT_FOUND),
    "slow": (Drip(), ModelFault.TIMEOUT),
    "rejected": (Fail(400), ModelFault.REJECTED),
    "too_large": (Fail(413), ModelFault.REJECTED),
    "too_long": (Fail(400, code="context_length_exceeded"), ModelFault.REJECTED),
    "azure_filter": (Fail(400, code="content_filter"), ModelFault.FILTERED),
    "truncated": (_ended("length", '{"category": "order_st'), ModelFault.TRUNCATED),
    "all_thought": (_ended("length", ""), ModelFault.TRUNCATED),
    "no_content": (_ended("stop", None), ModelFault.EMPTY),
    "blank": (_ended("stop", " \n"), ModelFault.EMPTY),
    "no_choices": (_completion(lambda body: body.update(choices=[])), ModelFault.INVALID_ANSWER),
    "other_json": (Raw(b'{"a": 1}'), ModelFault.INVALID_ANSWER),
    "a_list": (Raw(b"[]"), ModelFault.INVALID_ANSWER),
    "wrong_form": (Say({"category": "x"}), ModelFault.INVALID_ANSWER),
    "no_json": (Say("I would say yes."), ModelFault.INVALID_ANSWER),
}
"""Each kind of fault: the provider's reply, which is repeated, and the fault that it means."""

BILLED: Final = frozenset(
    {*("truncated", "all_thought", "no_content", "blank"), *("wrong_form", "no_json")}
)
"""The kinds of fault whose replies state the tokens that the provider bills."""
