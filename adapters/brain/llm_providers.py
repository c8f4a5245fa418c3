"""The providers of language models: their URLs, and clients that use only the settings.

Each provider's library is imported when its first model is built, because loading one takes up to
half a second. No client retries, because only `llm_tries.py` knows the remaining time. No client
reads keys, URLs, headers or proxies from the environment, which only `settings` may read.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import httpx2
from pydantic_ai.models import Model

from adapters.brain.model_http import model_client
from domain.core.errors import InvalidInput
from settings.brain import ModelProvider

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# Maximum size of a model's response, far above the few kilobytes of a long answer.
MAX_ANSWER_BYTES: Final = 512 * 1024
_READ_S: Final = 10.0
# Local endpoints need no key, but the SDKs require one.
_NO_KEY: Final = "none"
# The providers' URLs. The other providers have none that is the same for all accounts.
_ADDRESSES: Final = {
    ModelProvider.OPENAI: "https://api.openai.com/v1",
    ModelProvider.ANTHROPIC: "https://api.anthropic.com",
    ModelProvider.MISTRAL: "https://api.mistral.ai",
    ModelProvider.GOOGLE: "https://generativelanguage.googleapis.com",
    ModelProvider.OPENROUTER: "https://openrouter.ai/api/v1",
}
_AZURE_PATH: Final = "/openai/v1"

_Build = Callable[[str, str, str, httpx2.AsyncClient], Model]


def provider_of(name: str) -> ModelProvider:
    """Return the provider of a model, for example of `openai:gpt-5-mini`."""
    return ModelProvider(name.partition(":")[0])


def address_of(name: str, base_url: str | None, prefix: str) -> str:
    """Return the URL of a model's API. Raises InvalidInput, with the setting's `prefix`, if the
    provider has no URL of its own and `base_url` is None."""
    provider = provider_of(name)
    address = base_url or _ADDRESSES.get(provider)
    if address is None:
        raise InvalidInput(f"{prefix}BASE_URL is not set, and {name} needs it")
    if provider is ModelProvider.AZURE and not address.endswith("/v1"):
        return address + _AZURE_PATH
    return address


def needs_key(name: str, base_url: str | None) -> bool:
    """Return whether a model needs an API key. Another API with a provider's protocol, for example
    a local one, may need none."""
    return base_url is None or provider_of(name) is ModelProvider.AZURE


def model_at(name: str, address: str, key: str | None) -> Model:
    """Return the model of this name at a URL."""
    model = name.partition(":")[2]
    secret = key or _NO_KEY
    http = model_client(MAX_ANSWER_BYTES, _READ_S)
    return _MODELS[provider_of(name)](model, address, secret, http)


def _openai(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - slow to load
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    client = _openai_client(address, key, http)
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))


def _anthropic(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - slow to load
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    client = AsyncAnthropic(api_key=key, base_url=address, max_retries=0, http_client=http)
    client._custom_headers = {}  # noqa: SLF001 - the SDK has read them from the environment
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))


def _mistral(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from mistralai.client import Mistral  # noqa: PLC0415 - slow to load
    from mistralai.client.utils.logger import NoOpLogger  # noqa: PLC0415
    from pydantic_ai.models.mistral import MistralModel  # noqa: PLC0415
    from pydantic_ai.providers.mistral import MistralProvider  # noqa: PLC0415

    client = Mistral(api_key=key, server_url=address, async_client=http, debug_logger=NoOpLogger())
    # The SDK's traces contain messages. An environment variable would send them to Mistral.
    client.sdk_configuration.__dict__["telemetry"] = False
    return MistralModel(model, provider=MistralProvider(mistral_client=client))


def _google(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from google.genai.client import Client, DebugConfig  # noqa: PLC0415 - slow to load
    from google.genai.types import HttpOptions  # noqa: PLC0415
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    client = Client(
        vertexai=False,
        api_key=key,
        debug_config=DebugConfig(client_mode=None, replays_directory=None, replay_id=None),
        http_options=HttpOptions(
            base_url=address, httpx_async_client=http, timeout=int(_READ_S * 1_000)
        ),
    )
    return GoogleModel(model, provider=GoogleProvider(client=client))


def _azure(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - slow to load
    from pydantic_ai.providers.azure import AzureProvider  # noqa: PLC0415

    provider = AzureProvider(azure_endpoint=address, api_key=key, http_client=http)
    _configure(provider.client)
    return OpenAIChatModel(model, provider=provider)


def _openrouter(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openrouter import (  # noqa: PLC0415 - slow to load
        OpenRouterModel,
        OpenRouterModelSettings,
    )
    from pydantic_ai.providers.openrouter import OpenRouterProvider  # noqa: PLC0415

    # OpenRouter passes requests on. Only providers that store no data, and that support the
    # structured answer, may receive them.
    settings = OpenRouterModelSettings(
        openrouter_provider={"data_collection": "deny", "require_parameters": True}
    )
    provider = OpenRouterProvider(openai_client=_openai_client(address, key, http))
    return OpenRouterModel(model, provider=provider, settings=settings)


def _ollama(model: str, address: str, key: str, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415 - slow to load
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

    client = _openai_client(address, key, http)
    return OllamaModel(model, provider=OllamaProvider(openai_client=client))


def _openai_client(address: str, key: str, http: httpx2.AsyncClient) -> "AsyncOpenAI":
    from openai import AsyncOpenAI  # noqa: PLC0415 - slow to load

    client = AsyncOpenAI(api_key=key, base_url=address, http_client=http)
    _configure(client)
    return client


def _configure(client: "AsyncOpenAI") -> None:
    """Turn off the retries of OpenAI's SDK, and the account and headers that it reads from the
    environment."""
    client.max_retries = 0
    client.organization = client.project = None
    client._custom_headers = {}  # noqa: SLF001 - no other way to turn them off


_MODELS: Final[Mapping[ModelProvider, _Build]] = {
    ModelProvider.OPENAI: _openai,
    ModelProvider.ANTHROPIC: _anthropic,
    ModelProvider.MISTRAL: _mistral,
    ModelProvider.GOOGLE: _google,
    ModelProvider.AZURE: _azure,
    ModelProvider.OPENROUTER: _openrouter,
    ModelProvider.OLLAMA: _ollama,
}
