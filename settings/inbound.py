"""Signing secrets for inbound webhooks that are configured for the whole installation."""

from typing import Annotated, Final

from pydantic import BaseModel, Field, SecretStr
from pydantic.functional_validators import AfterValidator

from settings.group import named_by

# A rotation requires two secrets: the current one, and either the next or the previous one.
_MOST: Final = 2


def _are_few(given: SecretStr) -> SecretStr:
    secrets = _listed(given)
    if not 1 <= len(secrets) <= _MOST or any(len(one) < 8 for one in secrets):
        raise ValueError("one secret expected, or two, comma-separated, of 8 characters or more")
    return given


def _listed(given: SecretStr | None) -> tuple[str, ...]:
    if given is None:
        return ()
    return tuple(one.strip() for one in given.get_secret_value().split(",") if one.strip())


_Secrets = Annotated[SecretStr, AfterValidator(_are_few)]


class InboundSettings(BaseModel):
    model_config = named_by()

    shopify_app_secret: _Secrets | None = Field(
        default=None,
        description=(
            "Client secret of your own Shopify app. Shopify uses it to sign requests to "
            "`/api/webhooks/shopify`. During a rotation, set two secrets, comma-separated. If "
            "unset, the route returns 404."
        ),
    )
    stripe_connect_webhook_secret: _Secrets | None = Field(
        default=None,
        description=(
            "Secret of your Stripe Connect endpoint. Stripe uses it to sign requests to "
            "`/api/webhooks/stripe`. During a rotation, set two secrets, comma-separated. If "
            "unset, the route returns 404."
        ),
    )

    @property
    def shopify_secrets(self) -> tuple[str, ...]:
        """Return the Shopify app's secrets, newest first. If there are none, the endpoint returns
        404."""
        return _listed(self.shopify_app_secret)

    @property
    def stripe_secrets(self) -> tuple[str, ...]:
        """Return the Stripe Connect endpoint's secrets, newest first. If there are none, the
        endpoint returns 404."""
        return _listed(self.stripe_connect_webhook_secret)
