"""Settings for the language model and the embedding model."""

import re
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from settings.group import WebUrl, named_by

EMBEDDED_BRAIN: Final = "embedded"
EMBEDDED_ENCODER: Final = "embedded"
WORDS_ALONE: Final = "words"

_MODEL: Final = re.compile(r"(?:openai|anthropic):\S{1,200}")

_Price = Annotated[float, Field(ge=0, le=100_000)]


def _is_model(name: str) -> str:
    if not _MODEL.fullmatch(name):
        raise ValueError("openai:<model> or anthropic:<model> expected")
    return name


def _is_brain(name: str) -> str:
    return name if name == EMBEDDED_BRAIN else _is_model(name)


def _is_embedder(name: str) -> str:
    if name in (EMBEDDED_ENCODER, WORDS_ALONE):
        return name
    if not (_MODEL.fullmatch(name) and name.startswith("openai:")):
        raise ValueError("embedded, words or openai:<model> expected")
    return name


class BrainSettings(BaseModel):
    """Settings for the language model and its fallback model, and the budgets for both."""

    model_config = named_by("BRAIN_")

    model: Annotated[str, AfterValidator(_is_brain)] = Field(
        default=EMBEDDED_BRAIN,
        description=(
            "Model that generates answers: 'embedded', 'openai:<model>' or 'anthropic:<model>'."
        ),
    )
    base_url: WebUrl | None = Field(
        default=None, description="URL of the model's API; defaults to the provider's URL."
    )
    api_key: SecretStr | None = Field(default=None, description="API key of the model's provider.")
    price_in: _Price | None = Field(
        default=None,
        description="Price of input tokens, in US dollars per million; defaults to our price list.",
    )
    price_out: _Price | None = Field(
        default=None,
        description=(
            "Price of output tokens, in US dollars per million. Must be set together with "
            "BRAIN_PRICE_IN."
        ),
    )
    sees_images: bool = Field(
        default=False,
        description=(
            "Whether the model accepts images. It receives up to 4 images per message, 5 MiB "
            "in total."
        ),
    )
    fallback_model: Annotated[str, AfterValidator(_is_model)] | None = Field(
        default=None,
        description=("Fallback model, which is called if the first model does not respond."),
    )
    fallback_base_url: WebUrl | None = None
    fallback_api_key: SecretStr | None = None
    fallback_price_in: _Price | None = Field(
        default=None,
        description=("Price of the fallback model's input tokens, in US dollars per million."),
    )
    fallback_price_out: _Price | None = Field(
        default=None,
        description=(
            "Price of the fallback model's output tokens, in US dollars per million. Must be "
            "set together with BRAIN_FALLBACK_PRICE_IN."
        ),
    )
    fallback_sees_images: bool = Field(
        default=False,
        description=(
            "Whether the fallback model accepts images. The same limits apply as for "
            "BRAIN_SEES_IMAGES."
        ),
    )
    monthly_budget: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum language model cost per client and month, in US dollars. Once it is "
            "reached, the embedded brain answers."
        ),
    )

    installation_budget_a_day: float = Field(
        default=200,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum language model cost per UTC day for all clients together, in US dollars."
        ),
    )
    trial_budget_a_day: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum language model cost per UTC day for all clients without a paid plan "
            "together, in US dollars."
        ),
    )

    @property
    def is_remote(self) -> bool:
        """Return whether the language model is hosted by a remote provider."""
        return self.model != EMBEDDED_BRAIN

    @model_validator(mode="after")
    def _both_prices(self) -> Self:
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("BRAIN_PRICE_IN and BRAIN_PRICE_OUT: both of them or none")
        if (self.fallback_price_in is None) != (self.fallback_price_out is None):
            raise ValueError(
                "BRAIN_FALLBACK_PRICE_IN and BRAIN_FALLBACK_PRICE_OUT: both of them or none"
            )
        return self


class EmbeddingSettings(BaseModel):
    """Settings for the embedding model used for semantic search."""

    model_config = named_by("EMBEDDING_")

    model: Annotated[str, AfterValidator(_is_embedder)] = Field(
        default=EMBEDDED_ENCODER,
        description=(
            "Embedding model: 'embedded', 'openai:<model>', or 'words' for keyword search only."
        ),
    )
    folder: Path | None = Field(
        default=None,
        alias="EMBEDDED_MODEL_DIR",
        description="Folder that contains different weights for the embedded encoder.",
    )
    base_url: WebUrl | None = None
    api_key: SecretStr | None = None
