"""Settings of the language model and of the embedding model."""

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
    """The language model, its fallback, and their budgets."""

    model_config = named_by("BRAIN_")

    model: Annotated[str, AfterValidator(_is_brain)] = Field(
        default=EMBEDDED_BRAIN,
        description="Who thinks: 'embedded', 'openai:<model>' or 'anthropic:<model>'.",
    )
    base_url: WebUrl | None = Field(
        default=None, description="Where the model is, if not at its provider's own address."
    )
    api_key: SecretStr | None = Field(default=None, description="The provider's key.")
    price_in: _Price | None = Field(
        default=None,
        description="US dollars a million tokens read; unset: the price list's.",
    )
    price_out: _Price | None = Field(
        default=None, description="The same of tokens written; goes with BRAIN_PRICE_IN."
    )
    sees_images: bool = Field(
        default=False,
        description="The model takes images: it is shown up to 4 of a message, 5 MiB together.",
    )
    fallback_model: Annotated[str, AfterValidator(_is_model)] | None = Field(
        default=None, description="Asked if the first model gives no answer."
    )
    fallback_base_url: WebUrl | None = None
    fallback_api_key: SecretStr | None = None
    fallback_price_in: _Price | None = Field(
        default=None, description="The fallback's own price, as BRAIN_PRICE_IN is the first one's."
    )
    fallback_price_out: _Price | None = Field(
        default=None, description="The same of tokens written; goes with BRAIN_FALLBACK_PRICE_IN."
    )
    fallback_sees_images: bool = Field(
        default=False, description="The same of the fallback, as BRAIN_SEES_IMAGES."
    )
    monthly_budget: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description="US dollars a client may cost a month; beyond it the embedded brain thinks.",
    )

    installation_budget_a_day: float = Field(
        default=200,
        ge=0,
        le=1_000_000,
        description="US dollars that all clients together may cost a UTC day.",
    )
    trial_budget_a_day: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description="The same for all clients without a paid plan together.",
    )

    @property
    def is_remote(self) -> bool:
        """True if a remote provider is used."""
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
    """The embedding model of the semantic search."""

    model_config = named_by("EMBEDDING_")

    model: Annotated[str, AfterValidator(_is_embedder)] = Field(
        default=EMBEDDED_ENCODER,
        description="'embedded', 'openai:<model>', or 'words' to search by words alone.",
    )
    folder: Path | None = Field(
        default=None,
        alias="EMBEDDED_MODEL_DIR",
        description="Folder with other weights for the embedded encoder.",
    )
    base_url: WebUrl | None = None
    api_key: SecretStr | None = None
