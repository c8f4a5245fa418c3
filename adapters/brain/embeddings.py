"""The choice of the configured embedder, and an embedder for providers that support the OpenAI
protocol."""

import asyncio
from typing import Annotated, Final

import httpx2
import structlog
from pydantic import BaseModel, Field, SecretStr, ValidationError

from adapters.brain.encoder import EmbeddedEncoder, encoder_model
from adapters.brain.model_http import model_client
from domain.agent.embedding import MAX_DIMENSIONS, Embedding
from domain.agent.errors import EmbeddingUnavailable
from domain.agent.ports import Embedder
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from settings.brain import EMBEDDED_ENCODER, EmbeddingSettings

DEADLINE_S: Final = 3.0
# Maximum number of characters to embed because models read about 8,000 tokens. Only keyword search
# finds the rest of a longer entry.
_TEXT_CHARS: Final = 8_000
_MAX_ANSWER_BYTES: Final = 8 * 1024 * 1024
_OPENAI: Final = "https://api.openai.com/v1"

_log = structlog.get_logger(__name__)

# A value in an embedding. PostgreSQL stores it in four bytes, and rejects NaN and infinity.
_Coordinate = Annotated[float, Field(ge=-3e38, le=3e38, allow_inf_nan=False)]


class _Item(BaseModel):
    index: int = Field(ge=0)
    embedding: tuple[_Coordinate, ...] = Field(min_length=1, max_length=MAX_DIMENSIONS)


class _Answer(BaseModel):
    data: tuple[_Item, ...]


class OpenAIEmbedder:
    """An `Embedder` (`domain/agent/ports.py`) that uses a provider's API."""

    def __init__(
        self,
        model: str,
        base_url: str | None,
        key: SecretStr | None,
        *,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        """Create the embedder for the configured `model`, `openai:<model>`. Raises InvalidInput for
        OpenAI's own API without a key."""
        if key is None and base_url is None:
            raise InvalidInput(f"EMBEDDING_API_KEY is not set, and {model} needs it")
        self._model = model
        self._address = f"{base_url or _OPENAI}/embeddings"
        self._headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        self._deadline_s = deadline_s
        self._http = model_client(_MAX_ANSWER_BYTES, deadline_s)

    @property
    def model(self) -> str:
        return self._model

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        if not texts:
            return ()
        answer = await self._answer([text[:_TEXT_CHARS] or " " for text in texts])
        vectors = {item.index: item.embedding for item in answer.data} if answer else {}
        if set(vectors) != set(range(len(texts))):
            raise EmbeddingUnavailable
        return tuple(
            Embedding(model=self._model, values=vectors[place]) for place in range(len(texts))
        )

    async def near(self, tenant: TenantId, text: str, *, live: bool) -> Embedding | None:  # noqa: ARG002 - a provider serves all at once
        try:
            return (await self.embed((text,)))[0]
        except EmbeddingUnavailable:
            return None

    async def _answer(self, texts: list[str]) -> _Answer | None:
        """Return the provider's response, or None after any error. Only the type of the error is
        logged because its message may quote the text."""
        asked = {"model": self._model.partition(":")[2], "input": texts, "encoding_format": "float"}
        try:
            async with asyncio.timeout(self._deadline_s):
                response = await self._http.post(self._address, headers=self._headers, json=asked)
            response.raise_for_status()
            return _Answer.model_validate_json(response.content)
        except httpx2.HTTPStatusError as error:
            _log.warning("failed to fetch embedding", status=error.response.status_code)
        except (httpx2.HTTPError, TimeoutError, ValidationError) as error:
            _log.warning("failed to fetch embedding", error=type(error).__name__)
        return None


def embedder_from(settings: EmbeddingSettings) -> Embedder | None:
    """Return the configured embedder, or None for keyword search only. Raises InvalidInput."""
    model = embedding_model(settings)
    if model is None:
        return None
    if settings.model == EMBEDDED_ENCODER:
        return EmbeddedEncoder(model, settings.folder)
    return OpenAIEmbedder(model, settings.base_url, settings.api_key)


def embedding_model(settings: EmbeddingSettings) -> str | None:
    """Return the model name that is stored with embeddings, or None for keyword search or an
    encoder that is not installed. Raises InvalidInput."""
    match settings.model:
        case "words":
            return None
        case "embedded":
            return encoder_model(settings.folder)
        case provided:
            return provided
