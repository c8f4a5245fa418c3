"""`cli.py` that ends itself with SIGKILL at a point of a payment, named by the first argument.

- `asked`: the checkout is stored, and Stripe was not called.
- `opened`: Stripe has created its page, which is not stored.
- `applied`: a payment's effect is written, but not committed.
- `committed`: the effect is committed, but Stripe has no response.
"""

import os
import signal
import sys

import cli
from adapters.payments.stripe_checkout import StripeCheckout
from domain.billing.checkout import Checkout
from domain.billing.payment import PaymentEvent, Settlement
from domain.billing.ports import OpenedCheckout, Payments
from domain.core.ids import TenantId
from services.billing import payments
from services.core.unit_of_work import UnitsOfWork
from store.billing.payment_events import PaymentEventRepository

_open, _add = StripeCheckout.open, PaymentEventRepository.add


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def _asked(self: StripeCheckout, checkout: Checkout) -> OpenedCheckout:
    _die()
    return await _open(self, checkout)


async def _opened(self: StripeCheckout, checkout: Checkout) -> OpenedCheckout:
    opened = await _open(self, checkout)
    _die()
    return opened


async def _applied(
    self: PaymentEventRepository,
    event: PaymentEvent,
    settlement: Settlement,
    **whose: object,
) -> bool:
    added = await _add(self, event, settlement, **whose)  # type: ignore[arg-type]
    _die()
    return added


async def _committed(units: UnitsOfWork, tenant: TenantId, provider: Payments) -> None:
    _die()


if __name__ == "__main__":
    match sys.argv.pop(1):
        case "asked":
            StripeCheckout.open = _asked  # type: ignore[method-assign]
        case "opened":
            StripeCheckout.open = _opened  # type: ignore[method-assign]
        case "applied":
            PaymentEventRepository.add = _applied  # type: ignore[method-assign]
        case "committed":
            object.__setattr__(payments, "_end_replaced", _committed)
    cli.main()
