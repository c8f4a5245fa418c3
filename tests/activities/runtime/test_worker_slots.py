"""Slots for long work in a worker: each client gets a turn, and paying clients always get some."""

from contextlib import ExitStack

import pytest

from activities.runtime.worker_slots import WorkerSlots
from domain.cases.errors import CaseRunsBusy
from domain.core.ids import TenantId

ONE, TWO, THREE = TenantId("one"), TenantId("two"), TenantId("three")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def refused(slots: WorkerSlots, tenant: TenantId, *, pays: bool = True) -> bool:
    try:
        with slots.slot(tenant, pays=pays):
            return False
    except CaseRunsBusy:
        return True


def test_clients_without_a_plan_leave_slots_to_those_that_pay() -> None:
    slots = WorkerSlots(CaseRunsBusy, Clock(), at_once=3, unpaid=1)
    with ExitStack() as held:
        held.enter_context(slots.slot(ONE, pays=False))
        assert refused(slots, TWO, pays=False)
        held.enter_context(slots.slot(TWO, pays=True))
        assert not refused(slots, THREE)


def test_a_client_has_one_slot() -> None:
    slots = WorkerSlots(CaseRunsBusy, Clock(), at_once=2, unpaid=2)
    with slots.slot(ONE, pays=True):
        assert refused(slots, ONE)
        assert not refused(slots, TWO)


def test_a_client_that_waits_comes_before_one_that_returns() -> None:
    clock = Clock()
    slots = WorkerSlots(CaseRunsBusy, clock, at_once=1, unpaid=1)
    with slots.slot(ONE, pays=True):
        assert refused(slots, TWO)
    assert refused(slots, ONE)
    assert not refused(slots, TWO)
    assert not refused(slots, ONE)

    with slots.slot(ONE, pays=True):
        assert refused(slots, TWO)
    clock.now += 31  # Its case run was stopped, or another worker runs the batch.
    assert not refused(slots, ONE)


def test_a_long_batch_gives_its_slot_to_a_client_that_waits() -> None:
    clock = Clock()
    slots = WorkerSlots(CaseRunsBusy, clock, at_once=1, unpaid=1)
    with slots.slot(ONE, pays=True):
        clock.now = 61
        slots.check_kept(ONE)
        assert refused(slots, TWO)
        with pytest.raises(CaseRunsBusy):
            slots.check_kept(ONE)


def test_a_batch_keeps_a_slot_that_the_waiting_client_may_not_have() -> None:
    clock = Clock()
    slots = WorkerSlots(CaseRunsBusy, clock, at_once=2, unpaid=1)
    with slots.slot(ONE, pays=True), slots.slot(TWO, pays=False):
        clock.now = 61
        assert refused(slots, THREE, pays=False)
        slots.check_kept(ONE)
        with pytest.raises(CaseRunsBusy):
            slots.check_kept(TWO)
