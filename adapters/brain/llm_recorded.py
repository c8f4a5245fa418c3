"""A language model whose responses are recorded, so that a repeated attempt does not pay again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from pydantic import JsonValue, ValidationError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from domain.agent.call_record import call_record

# Fields of messages that identify a request. The others, such as usage and time, differ between two
# attempts with the same content.
_IDENTIFYING: Final = ("kind", "instructions", "parts")
_VOLATILE: Final = frozenset({"timestamp"})


class RecordedModel(WrapperModel):
    """A model that returns the recorded response to a request that the run has already sent. Such a
    response has no usage, because the earlier attempt has booked it."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        record = call_record()
        if record is None:
            return await super().request(messages, model_settings, model_request_parameters)
        key = _key(self.model_name, messages)
        response = _response(await record.read(key))
        if response is None:
            response = await super().request(messages, model_settings, model_request_parameters)
            await record.keep(key, ModelMessagesTypeAdapter.dump_json([response]).decode())
            return response
        return replace(response, usage=RequestUsage())


def _response(recorded: str | None) -> ModelResponse | None:
    """Return a recorded response. A record of another release that cannot be read counts as
    none."""
    if recorded is None:
        return None
    try:
        [message] = ModelMessagesTypeAdapter.validate_json(recorded)
    except (ValidationError, ValueError):
        return None
    return message if isinstance(message, ModelResponse) else None


def _key(model: str, messages: Sequence[ModelMessage]) -> str:
    content = [
        {name: _stable(message.get(name)) for name in _IDENTIFYING}
        for message in ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
    ]
    text = json.dumps([model, content], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _stable(value: JsonValue) -> JsonValue:
    match value:
        case list():
            return [_stable(one) for one in value]
        case dict():
            return {name: _stable(one) for name, one in value.items() if name not in _VOLATILE}
        case _:
            return value
