"""The configured language models, with their URLs and prices."""

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from hashlib import sha256

from genai_prices import calc_price
from pydantic import SecretStr
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from adapters.brain.llm_providers import address_of, model_at, needs_key, provider_of
from domain.core.errors import InvalidInput
from settings.brain import BrainSettings


@dataclass(frozen=True, slots=True)
class Price:
    """A model's prices in US dollars per million tokens. The same numbers are also the prices per
    token, in millionths of a dollar."""

    tokens_in: Decimal
    tokens_out: Decimal


@dataclass(frozen=True, slots=True, eq=False)
class PricedModel:
    """A language model with its price. `name` is, for example, `openai:gpt-5-mini`. `price`
    overrides the library's price list. `account`, a digest of URL and key, identifies the
    account. `uses_tools`: whether the model may look up more before it answers."""

    name: str
    model: Model
    price: Price | None
    account: str
    sees_images: bool = False
    uses_tools: bool = False

    def cost_micros(self, usage: RunUsage) -> int:
        """Return the cost of these tokens, in millionths of a US dollar, rounded up."""
        if self.price is not None:
            micros = (
                usage.input_tokens * self.price.tokens_in
                + usage.output_tokens * self.price.tokens_out
            )
        else:
            micros = _listed(self.name, usage) * 1_000_000
        return int(micros.to_integral_value(ROUND_CEILING))


def models_of(settings: BrainSettings) -> tuple[PricedModel, ...]:
    """Return the preferred model, followed by the fallback model if configured.

    Raises InvalidInput for a missing key, or for an unknown price, without which no budget can
    limit the cost.
    """
    first = replace(
        _priced(
            settings.model,
            settings.base_url,
            settings.api_key,
            _price(settings.price_in, settings.price_out),
            "BRAIN_",
        ),
        sees_images=settings.sees_images,
    )
    first = replace(first, uses_tools=settings.uses_tools and _supports_tools(first.model))
    name = settings.fallback_model
    if name is None:
        return (first,)
    url, key = settings.fallback_base_url, settings.fallback_api_key
    if provider_of(name) == settings.model.partition(":")[0] and url is None:
        # A fallback model at the same provider and URL uses the same key. A fallback model at
        # another URL must not receive the key.
        url, key = settings.base_url, key or settings.api_key
    price = _price(settings.fallback_price_in, settings.fallback_price_out)
    fallback = _priced(name, url, key, price, "BRAIN_FALLBACK_")
    return (
        first,
        replace(
            fallback,
            sees_images=settings.fallback_sees_images,
            uses_tools=settings.uses_tools and _supports_tools(fallback.model),
        ),
    )


def judge_of(settings: BrainSettings) -> PricedModel | None:
    """Return the model that judges drafts, or None if none is configured. Raises InvalidInput for a
    missing key or an unknown price."""
    name = settings.judge_model
    if name is None:
        return None
    url, key = settings.judge_base_url, settings.judge_api_key
    if provider_of(name) == settings.model.partition(":")[0] and url is None:
        url, key = settings.base_url, key or settings.api_key
    price = _price(settings.judge_price_in, settings.judge_price_out)
    return _priced(name, url, key, price, "BRAIN_JUDGE_")


def _supports_tools(model: Model) -> bool:
    """Return True if a model supports tools next to an output schema. Older Gemini models support
    only one of them."""
    is_combined = model.profile.get("google_supports_tool_combination", True)
    return bool(model.profile.get("supports_tools", True) and is_combined)


def _price(tokens_in: float | None, tokens_out: float | None) -> Price | None:
    if tokens_in is None or tokens_out is None:
        return None
    return Price(Decimal(str(tokens_in)), Decimal(str(tokens_out)))


def _priced(
    name: str, base_url: str | None, key: SecretStr | None, price: Price | None, prefix: str
) -> PricedModel:
    address = address_of(name, base_url, prefix)
    if key is None and needs_key(name, base_url):
        raise InvalidInput(f"{prefix}API_KEY is not set, and {name} needs it")
    if price is None:
        try:
            _listed(name, RunUsage(input_tokens=1, output_tokens=1))
        except LookupError:
            raise InvalidInput(
                f"no price of {name} is known: set {prefix}PRICE_IN and {prefix}PRICE_OUT"
            ) from None
    secret = key.get_secret_value() if key else None
    account = sha256(f"{address}\n{secret or ''}".encode()).hexdigest()
    return PricedModel(name, model_at(name, address, secret), price, account)


def _listed(name: str, usage: RunUsage) -> Decimal:
    """Return the cost of these tokens in US dollars, according to the library's price list. Raises
    LookupError if the model is not listed."""
    provider, _, model = name.partition(":")
    return calc_price(usage, model, provider_id=provider).total_price
