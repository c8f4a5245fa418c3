"""Delivery permits compared with a naive model: deliveries of a few tenants in any order."""

import asyncio
from collections import Counter
from collections.abc import Coroutine

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from activities.webhooks.delivery_limiter import LONGEST_S, SHORTEST_S, DeliveryLimiter
from tests.support.webhooks.sending import Alone, Sending, Time, end, settle


class PermitsMachine(RuleBasedStateMachine):
    """Deliveries arrive, end and are cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.time = Time()
        self.delivery_limiter = DeliveryLimiter(
            Alone(),
            per_endpoint=2,
            per_tenant=3,
            waiting_per_tenant=6,
            waiting=9,
            clock=self.time,
            randomness=lambda: 0.5,
        )
        self.sent: list[Sending] = []

    def teardown(self) -> None:
        self.run(end(*self.sent))
        assert not self.delivery_limiter._tenants
        assert self.delivery_limiter._waiting == 0
        self.loop.close()

    def run(self, work: Coroutine[object, object, object]) -> None:
        self.loop.run_until_complete(work)
        self.sent = [one for one in self.sent if not one.task.done()]

    def waiting(self) -> list[Sending]:
        return [one for one in self.sent if not one.active]

    @rule(tenant=st.sampled_from("abcd"), endpoint=st.sampled_from("xyz"))
    def come(self, tenant: str, endpoint: str) -> None:
        async def go() -> None:
            one = Sending(self.delivery_limiter, tenant, endpoint)
            before = Counter((each.tenant, each.endpoint) for each in self.waiting())
            await settle()
            room = (
                before[tenant, endpoint] < 4
                and sum(count for (whose, _), count in before.items() if whose == tenant) < 6
                and before.total() < 9
            )
            assert one.active or (one.deferred is None) == room
            assert one.deferred is None or SHORTEST_S <= one.deferred <= LONGEST_S
            self.sent.append(one)

        self.run(go())

    @precondition(lambda self: any(one.active for one in self.sent))
    @rule(data=st.data(), seconds=st.floats(0, 10))
    def finish(self, data: st.DataObject, seconds: float) -> None:
        self.time.now += seconds
        data.draw(st.sampled_from([one for one in self.sent if one.active])).end()
        self.run(settle())

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), ending=st.booleans())
    def cancel(self, data: st.DataObject, *, ending: bool) -> None:
        """Cancel a delivery, in some cases while another one hands over its permit."""
        cancelled = data.draw(st.lists(st.sampled_from(self.sent), min_size=1, unique=True))
        if ending:
            data.draw(st.sampled_from(self.sent)).end()
        for one in cancelled:
            one.task.cancel()
        self.run(settle())

    @invariant()
    def nobody_has_too_much(self) -> None:
        going = [one for one in self.sent if one.active]
        assert all(n <= 2 for n in Counter((o.tenant, o.endpoint) for o in going).values())
        assert all(n <= 3 for n in Counter(o.tenant for o in going).values())
        assert len(self.waiting()) <= 9

    @invariant()
    def nobody_waits_in_vain(self) -> None:
        going = [one for one in self.sent if one.active]
        by_tenant = Counter(one.tenant for one in going)
        by_endpoint = Counter((one.tenant, one.endpoint) for one in going)
        for one in self.waiting():
            assert by_tenant[one.tenant] == 3 or by_endpoint[one.tenant, one.endpoint] == 2

    @invariant()
    def first_come_first_served(self) -> None:
        """For one endpoint, no delivery overtakes an earlier waiting one."""
        waits: set[tuple[str, str]] = set()
        for one in self.sent:
            if not one.active:
                waits.add((one.tenant, one.endpoint))
            assert not one.active or (one.tenant, one.endpoint) not in waits

    @invariant()
    def nothing_is_kept_of_the_idle(self) -> None:
        kept = {
            (tenant, endpoint)
            for tenant, of in self.delivery_limiter._tenants.items()
            for endpoint in of.endpoints
        }
        assert kept == {(one.tenant, one.endpoint) for one in self.sent}


def test_permits_in_any_order(thorough: bool) -> None:
    run_state_machine_as_test(
        PermitsMachine,
        settings=settings(
            max_examples=150 if thorough else 40, stateful_step_count=40, deadline=None
        ),
    )
