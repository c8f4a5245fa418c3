"""Prices and the payment provider."""

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
        default=None, description="Of the service's own account; unset: nothing can be bought."
    )
    stripe_webhook_secret: SecretStr | None = Field(
        default=None, description="By which Stripe signs its events; goes with the key."
    )
    stripe_api_url: Annotated[WebUrl, AfterValidator(is_fetched_safely)] = _STRIPE
    # Only currencies for which Stripe's smallest unit is the usual one.
    price_currency: Literal["EUR", "USD", "GBP", "CHF", "CAD"] = "EUR"
    price_starter: str = Field(default="49.00", description="A month.")
    price_pro: str = Field(default="149.00", description="A month.")
    price_enterprise: str | None = Field(
        default=None, description="A month; unset: it is not for sale, operators give it."
    )
    price_credits: str = Field(
        default="100=12.00,500=50.00,2000=160.00", description="Packs of credits."
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
        plans = {Plan.STARTER: self.price_starter, Plan.PRO: self.price_pro}
        if self.price_enterprise is not None:
            plans[Plan.ENTERPRISE] = self.price_enterprise
        return PriceList.parse(self.price_currency, plans=plans, packs=self.price_credits)
