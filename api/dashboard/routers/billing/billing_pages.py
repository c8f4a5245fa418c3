"""/app/billing: the plan, and the price and purchase of credits. Stripe's checkout is opened
through a link because our forms must not redirect to another site."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ManagersPost, Post, Posted
from api.route import PathId
from api.schemas.billing.plan import CreditsBody, PlanBody, plan_answer
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.billing.checkout import CheckoutState
from domain.billing.errors import CheckoutNotFound
from domain.billing.quota import UNLIMITED
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.core.money import Money
from domain.core.period import next_period_start, period_of
from domain.tenants.actor import ANYONE, MANAGERS, OWNERS
from services.billing.checkouts import Offered, buy_credits, buy_plan
from services.billing.plans import choose_plan
from services.dashboard.forms import standing_in
from store.billing.checkouts import CheckoutRepository, client_of
from store.billing.credit_entries import CreditEntries
from store.billing.usage import UsageRepository
from store.tenants.accounts import AccountRepository

_PLAN: Final = "/app/billing/plan"
_CREDITS: Final = "/app/billing/credits"
_CHECKOUTS: Final = "/app/billing/checkouts"
_ID: Final = PathId("checkout_id", "checkout", CheckoutNotFound)

router = APIRouter(include_in_schema=False)
OwnersPost = Annotated[Post, Depends(Posted(OWNERS))]


@router.get(_PLAN)
async def plan(page: AnyonesPage) -> Response:
    """Show the plan and credits. After a checkout, Stripe redirects to this page with the
    checkout's id in the query."""
    came_from = parse_ulid(page.request.query_params.get("checkout", ""))
    async with page.resources.database.reading(page.tenant) as connection:
        subscription = await AccountRepository(connection, page.tenant).subscription()
        checkouts = CheckoutRepository(connection, page.tenant)
        active = await checkouts.active()
        checkout = await checkouts.read(came_from) if came_from else None
    answer = plan_answer(
        subscription,
        page.resources.settings.payments.prices,
        page.now,
        can_pay=page.resources.payments is not None,
    )
    paid_until = active.renews_at if active else None
    return page.render(
        "billing/plan.html",
        answer=answer,
        checkout=checkout,
        offers=[
            (
                offer,
                subscription.is_above(offer.plan, page.now),
                subscription.changed_to(offer.plan, page.now, paid_until=paid_until),
            )
            for offer in answer.offers
        ],
        unlimited=UNLIMITED,
        may_choose=page.may(OWNERS),
        contact=page.resources.settings.mail.sender,
        seen=_seen,
        seen_plans=f"{answer.paid_plan} {answer.next_plan}",
    )


@router.post(f"{_PLAN}/buy")
async def upgrade(post: OwnersPost) -> Response:
    page = post.page
    prices = page.resources.settings.payments.prices
    wanted = post.body(PlanBody, plan=post.text("plan")).plan
    post.check_seen(_seen(prices.plans.get(wanted)))
    async with post.working(_PLAN):
        pass
    offered = await buy_plan(
        page.resources.work,
        page.actor,
        page.tenant,
        wanted,
        prices=prices,
        payments=page.resources.payments,
    )
    return await _to_pay(post, offered)


@router.post(f"{_PLAN}/choose")
async def choose(post: OwnersPost) -> Response:
    page = post.page
    prices = page.resources.settings.payments.prices
    wanted = post.body(PlanBody, plan=post.text("plan")).plan
    async with post.working(_PLAN) as work:
        subscription = await AccountRepository(standing_in(work), page.tenant).subscription()
        there = plan_answer(subscription, prices, page.now, can_pay=True)
        post.check_seen(f"{there.paid_plan} {there.next_plan}")
    await choose_plan(
        page.resources.work,
        page.actor,
        page.tenant,
        wanted,
        prices=prices,
        payments=page.resources.payments,
    )
    return post.done(_PLAN, "billing.chosen")


@router.get(_CREDITS)
async def credits_(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        usage = await UsageRepository(connection, page.tenant).in_month(period_of(page.now))
        entries = await CreditEntries(connection, page.tenant).page(
            limit=query.limit + 1, before=query.cursor
        )
    return page.render(
        "billing/credits.html",
        balance=usage.credits_balance,
        packs=page.resources.settings.payments.prices.packs.items(),
        can_pay=page.resources.payments is not None,
        may_buy=page.may(MANAGERS),
        contact=page.resources.settings.mail.sender,
        next_month=next_period_start(page.now),
        entries=entries[: query.limit],
        cursor=cursor_after(entries, query.limit, lambda last: last.id),
        seen=_seen,
    )


@router.post(_CREDITS)
async def buy(post: ManagersPost) -> Response:
    page = post.page
    prices = page.resources.settings.payments.prices
    if not (text := post.text("credits")).isdecimal():
        raise InvalidBody("champ « credits »")
    pack = post.body(CreditsBody, credits=int(text[:10])).credits
    post.check_seen(_seen(prices.packs.get(pack)))
    async with post.working(_CREDITS):
        pass
    offered = await buy_credits(
        page.resources.work,
        page.actor,
        page.tenant,
        pack,
        prices=prices,
        payments=page.resources.payments,
    )
    return await _to_pay(post, offered)


@router.get(f"{_CHECKOUTS}/{{checkout_id}}")
async def checkout(page: Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of))]) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await CheckoutRepository(connection, page.tenant).read(page.record_id)
    payable = found.state is CheckoutState.OPEN and page.now < found.expires_at
    return page.render("billing/checkout.html", checkout=found, payable=payable)


async def _to_pay(post: Post, offered: Offered) -> Response:
    """Redirect to the checkout, and store the checkout as the redirect target for a repeated
    submission. The target becomes known only after the call to the payment provider, which runs
    outside the form's transaction."""
    to = f"{_CHECKOUTS}/{offered.checkout_id}"
    async with post.page.resources.work.of(post.page.tenant) as work:
        await post.leads_to(work, to)
    return post.done(to)


def _seen(price: Money | None) -> str:
    """Return the price that the page shows, as the value of a form field. If the price changes
    before the form is submitted, the purchase is rejected."""
    return f"{price.minor} {price.currency}" if price else "-"
