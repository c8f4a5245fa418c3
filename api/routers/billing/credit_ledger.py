"""/api/dashboard/credits: the credit balance, the credit ledger, and the purchase of credit
packs."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.billing.plan import CheckoutAnswer, CreditPack, CreditsAnswer, CreditsBody
from api.schemas.core.client_query import cursor_after
from domain.core.period import period_of
from services.billing.checkouts import buy_credits
from store.billing.credit_entries import CreditEntries
from store.billing.usage import UsageRepository

router = APIRouter(route_class=DescribedRoute)

_CREDITS: Final = "/api/dashboard/credits"


@router.get(_CREDITS, operation_id="credits.get", summary="Get the credit balance and ledger")
async def show(asked: PageDep, resources: ResourcesDep) -> CreditsAnswer:
    """Any member of the client may call this operation. One credit pays for one ticket beyond the
    plan's quota."""
    tenant, query = asked.tenant, asked.query
    async with resources.database.reading(tenant) as connection:
        usage = await UsageRepository(connection, tenant).in_month(period_of(resources.now()))
        # Fetch one extra row to detect whether there is a next page.
        entries = await CreditEntries(connection, tenant).page(
            limit=query.limit + 1, before=query.cursor
        )
    return CreditsAnswer(
        credits_balance=usage.credits_balance,
        packs=[
            CreditPack(credits=size, price=price)
            for size, price in resources.settings.payments.prices.packs.items()
        ],
        entries=list(entries[: query.limit]),
        next_cursor=cursor_after(entries, query.limit, lambda last: last.id),
    )


@router.post(
    f"{_CREDITS}/checkout",
    operation_id="credits.checkout",
    summary="Create a checkout for credits",
    status_code=201,
    responses=errors(409, 503),
)
async def buy(
    member: ManagerDep,
    body: Annotated[CreditsBody, Depends(JsonBody(CreditsBody))],
    resources: ResourcesDep,
) -> CheckoutAnswer:
    """This operation requires the owner or admin role. The credits are added to the balance when
    the payment is confirmed."""
    offered = await buy_credits(
        resources.work,
        member.actor,
        member.tenant,
        body.credits,
        prices=resources.settings.payments.prices,
        payments=resources.payments,
    )
    return CheckoutAnswer(
        checkout_id=offered.checkout_id, url=offered.url, expires_at=offered.expires_at
    )
