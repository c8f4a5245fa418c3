"""Settings for prices and for the payment provider."""

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, Field, SecretStr, model_validator
from pydantic.functional_validators import AfterValidator

from domain.billing.prices import PriceList
from domain.core.errors import InvalidInput
from domain.tenants.client import Plan
from settings.group import WebUrl, is_fetched_safely, named_by

_STRIPE: Final = "https://api.stripe.com"


class PaymentSettings(BaseModel):
    model_config = named_by()

    stripe_secret_key: SecretStr | None = Field(
        default=None,
        description=(
            "Secret key of your Stripe account, which receives clients' payments for plans and "
            "credits. If unset, operators grant plans and credits. Must be set together with "
            "`STRIPE_WEBHOOK_SECRET`. See [billing](billing.md)."
        ),
    )
    stripe_webhook_secret: SecretStr | None = Field(
        default=None,
        description=(
            "Secret that Stripe uses to sign the events sent to `/api/payments/stripe/webhook`. "
            "Must be set together with `STRIPE_SECRET_KEY`."
        ),
    )
    stripe_api_url: Annotated[WebUrl, AfterValidator(is_fetched_safely)] = Field(
        default=_STRIPE,
        description="URL of Stripe's API. Only tests change it.",
    )
    # Only currencies whose smallest unit at Stripe is the usual minor unit are allowed.
    price_currency: Literal["EUR", "USD", "GBP", "CHF", "CAD"] = Field(
        default="EUR",
        description="Currency of all prices: `EUR`, `USD`, `GBP`, `CHF` or `CAD`.",
    )
    price_starter: str = Field(
        default="49.00",
        description="Price of the starter plan per calendar month.",
    )
    price_pro: str = Field(
        default="149.00",
        description=(
            "Price of the pro plan per calendar month. Must be higher than `PRICE_STARTER`."
        ),
    )
    price_enterprise: str | None = Field(
        default=None,
        description=(
            "Price of the enterprise plan per calendar month. If unset, the plan is not for sale, "
            "and operators grant it."
        ),
    )
    price_credits: str = Field(
        default="100=12.00,500=50.00,2000=160.00",
        description="Credit packs, comma-separated, each as a number of credits and a price.",
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.stripe_secret_key is None) != (self.stripe_webhook_secret is None):
            raise ValueError("STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: both or none")
        try:
            _ = self.prices
        except InvalidInput as error:
            raise ValueError(f"PRICE_…: {error}") from None
        return self

    @property
    def prices(self) -> PriceList:
        """Return the price list. Raises InvalidInput if a price is invalid."""
        plans = {Plan.STARTER: self.price_starter, Plan.PRO: self.price_pro}
        if self.price_enterprise is not None:
            plans[Plan.ENTERPRISE] = self.price_enterprise
        return PriceList.parse(self.price_currency, plans=plans, packs=self.price_credits)
