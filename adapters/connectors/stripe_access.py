"""The poll of a Stripe account. It only checks whether Stripe accepts the API key."""

from collections.abc import Mapping
from datetime import datetime

from adapters.connectors.stripe import Stripe
from domain.inbound.polling import ChangesPage
from domain.integrations.errors import NotAuthorized


class StripeAccess:
    """Check with one request whether an API key still opens its account, as
    `domain.inbound.polling.Polls`. Never finds a change."""

    def __init__(self, stripe: Stripe, account: str) -> None:
        self._stripe = stripe
        self._account = account

    async def changes(
        self,
        position: Mapping[str, str],
        since: datetime,  # noqa: ARG002 - no changes are read
    ) -> ChangesPage:
        """Return an empty page. Raises ActionUnreachable, ActionRefused, and NotAuthorized if the
        key is revoked or belongs to another account."""
        if await self._stripe.account() != self._account:
            raise NotAuthorized("the key of another account")
        return ChangesPage(changes=(), position=dict(position), has_more=False)
