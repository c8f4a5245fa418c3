"""Signing secrets of webhooks that arrive for the whole installation."""

from typing import Annotated, Final

from pydantic import BaseModel, Field, SecretStr
from pydantic.functional_validators import AfterValidator

from settings.group import named_by

# The current secret, and the next or previous one during a rotation.
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
        description="Of your Shopify app: signs POST /api/webhooks/shopify; unset: 404.",
    )
    stripe_connect_webhook_secret: _Secrets | None = Field(
        default=None,
        description="Of your Connect endpoint: signs POST /api/webhooks/stripe; unset: 404.",
    )

    @property
    def shopify_secrets(self) -> tuple[str, ...]:
        """The secrets, newest first. Without secrets, the endpoint answers 404."""
        return _listed(self.shopify_app_secret)

    @property
    def stripe_secrets(self) -> tuple[str, ...]:
        return _listed(self.stripe_connect_webhook_secret)
