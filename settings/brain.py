"""Settings for the language model and the embedding model."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from settings.group import WebUrl, named_by

EMBEDDED_BRAIN: Final = "embedded"
EMBEDDED_ENCODER: Final = "embedded"
WORDS_ALONE: Final = "words"


class ModelProvider(StrEnum):
    """A provider of language models. Its value is the first part of a model's name."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    MISTRAL = "mistral"
    GOOGLE = "google"
    AZURE = "azure"
    OPENROUTER = "openrouter"
    OLLAMA = "ollama"


_PROVIDERS: Final = ", ".join(f"`{one}`" for one in ModelProvider)
_MODEL: Final = re.compile(rf"(?:{'|'.join(ModelProvider)}):\S{{1,200}}")

_Price = Annotated[float, Field(ge=0, le=100_000)]
# The upper limit equals LONGEST_PATIENCE in `domain/agent/model_patience.py`.
_RetryHours = Annotated[float, Field(ge=0, le=24)]


def _is_model(name: str) -> str:
    if not _MODEL.fullmatch(name):
        raise ValueError(f"<provider>:<model> expected, with one of {', '.join(ModelProvider)}")
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
            "Model that drafts answers: `embedded`, or `<provider>:<model>` with one of "
            f"{_PROVIDERS} ([providers](brain.md#providers))."
        ),
    )
    base_url: WebUrl | None = Field(
        default=None,
        description=(
            "URL of any API with the protocol of `BRAIN_MODEL`'s provider. If unset, the "
            "provider's URL is used. Required for `azure` and `ollama`."
        ),
    )
    api_key: SecretStr | None = Field(
        default=None,
        description=(
            "API key of the model's provider. Required unless `BRAIN_BASE_URL` is set, and always "
            "required for `azure`."
        ),
    )
    price_in: _Price | None = Field(
        default=None,
        description=(
            "Price of `BRAIN_MODEL`'s input tokens, in US dollars per million. Overrides the "
            "built-in price list. Required for a model that is not in the list."
        ),
    )
    price_out: _Price | None = Field(
        default=None,
        description=(
            "Price of `BRAIN_MODEL`'s output tokens, in US dollars per million. Must be set "
            "together with `BRAIN_PRICE_IN`."
        ),
    )
    sees_images: bool = Field(
        default=False,
        description=(
            "Whether `BRAIN_MODEL` accepts images. The model then receives up to 4 images per "
            "message, 5 MiB in total ([attachments](attachments.md))."
        ),
    )
    uses_tools: bool = Field(
        default=True,
        description=(
            "Whether language models may search the knowledge again and read another order of "
            "the customer before they answer ([lookups](brain.md#lookups-of-a-model)). Set it to "
            "`false` for a model without tool calls."
        ),
    )
    hides_personal_data: bool = Field(
        default=True,
        description=(
            "Whether language models receive marks in place of email and postal addresses, phone "
            "numbers, card numbers and IBANs. Answers contain the original values "
            "([privacy](brain.md#what-a-provider-receives))."
        ),
    )
    fallback_model: Annotated[str, AfterValidator(_is_model)] | None = Field(
        default=None,
        description=(
            "Fallback model, which is called if `BRAIN_MODEL` does not answer: "
            "`<provider>:<model>`, with the same providers."
        ),
    )
    fallback_base_url: WebUrl | None = Field(
        default=None,
        description=(
            "URL of the fallback model's API. If unset, the URL of `BRAIN_MODEL` is used, "
            "provided that the provider is the same."
        ),
    )
    fallback_api_key: SecretStr | None = Field(
        default=None,
        description=(
            "API key of the fallback model's provider. If unset, `BRAIN_API_KEY` is used, "
            "provided that the provider and the URL are the same."
        ),
    )
    fallback_price_in: _Price | None = Field(
        default=None,
        description=(
            "Price of `BRAIN_FALLBACK_MODEL`'s input tokens, in US dollars per million. The same "
            "rules apply as for `BRAIN_PRICE_IN`."
        ),
    )
    fallback_price_out: _Price | None = Field(
        default=None,
        description=(
            "Price of `BRAIN_FALLBACK_MODEL`'s output tokens, in US dollars per million. Must be "
            "set together with `BRAIN_FALLBACK_PRICE_IN`."
        ),
    )
    fallback_sees_images: bool = Field(
        default=False,
        description=(
            "Whether `BRAIN_FALLBACK_MODEL` accepts images. The same limits apply as for "
            "`BRAIN_SEES_IMAGES`."
        ),
    )
    judge_model: Annotated[str, AfterValidator(_is_model)] | None = Field(
        default=None,
        description=(
            "Model that compares each part of a draft with its sources before the draft is sent: "
            "`<provider>:<model>`, with the same providers. Choose another model than "
            "`BRAIN_MODEL`. Without it, only code compares them ([judge](brain.md#the-judge))."
        ),
    )
    judge_base_url: WebUrl | None = Field(
        default=None,
        description=(
            "URL of the judge's API. If unset, the URL of `BRAIN_MODEL` is used, provided that "
            "the provider is the same."
        ),
    )
    judge_api_key: SecretStr | None = Field(
        default=None,
        description=(
            "API key of the judge's provider. If unset, `BRAIN_API_KEY` is used, provided that "
            "the provider and the URL are the same."
        ),
    )
    judge_price_in: _Price | None = Field(
        default=None,
        description=(
            "Price of `BRAIN_JUDGE_MODEL`'s input tokens, in US dollars per million. The same "
            "rules apply as for `BRAIN_PRICE_IN`."
        ),
    )
    judge_price_out: _Price | None = Field(
        default=None,
        description=(
            "Price of `BRAIN_JUDGE_MODEL`'s output tokens, in US dollars per million. Must be "
            "set together with `BRAIN_JUDGE_PRICE_IN`."
        ),
    )
    retry_hours_email: _RetryHours = Field(
        default=4,
        description=(
            "Maximum time in hours for which an email waits if the language model is unavailable "
            "and no caller waits for the answer. The model is called again until then. 0: a human "
            "gets the email at once."
        ),
    )
    retry_hours_helpdesk: _RetryHours = Field(
        default=4,
        description="The same maximum time for a helpdesk ticket.",
    )
    monthly_budget: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum language model cost per month for a client without an individual budget, in "
            "US dollars. Once it is reached, the embedded brain answers."
        ),
    )
    installation_budget_a_day: float = Field(
        default=200,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum language model cost per UTC day for all clients together, in US dollars. It "
            "includes runs, dry runs, the simulator, replays and the copilot. Once it is reached, "
            "the embedded brain answers."
        ),
    )
    trial_budget_a_day: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum language model cost per UTC day for all clients without a paid plan together, "
            "in US dollars. These clients include those during and after their trial. Once it is "
            "reached, the embedded brain answers."
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
        if (self.judge_price_in is None) != (self.judge_price_out is None):
            raise ValueError("BRAIN_JUDGE_PRICE_IN and BRAIN_JUDGE_PRICE_OUT: both of them or none")
        return self


class EmbeddingSettings(BaseModel):
    """Settings for the embedding model used for semantic search."""

    model_config = named_by("EMBEDDING_")

    model: Annotated[str, AfterValidator(_is_embedder)] = Field(
        default=EMBEDDED_ENCODER,
        description=(
            "Embedding model of the semantic search: `embedded` (multilingual-e5-small in the "
            "process), `openai:<model>`, or `words` for full-text search only."
        ),
    )
    folder: Path | None = Field(
        default=None,
        alias="EMBEDDED_MODEL_DIR",
        description=(
            "Folder with other weights for the embedded encoder, for example `e5-small-q4.bin`."
        ),
    )
    base_url: WebUrl | None = Field(
        default=None,
        description=(
            "URL of any API with the protocol of OpenAI's embeddings. If unset, OpenAI's URL is "
            "used."
        ),
    )
    api_key: SecretStr | None = Field(
        default=None,
        description=(
            "API key of the embedding model's provider. Required unless `EMBEDDING_BASE_URL` is "
            "set."
        ),
    )
