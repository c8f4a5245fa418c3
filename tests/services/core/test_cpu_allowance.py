"""The CPU time that one client's requests may use of an API process."""

from services.core.cpu_allowance import BURST_S, SHARE, USUAL_S, CpuAllowance


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_requests_of_usual_cost_are_free() -> None:
    allowance = CpuAllowance(Clock())
    for _ in range(10_000):
        allowance.spend("a", USUAL_S)
    assert allowance.wait_s("a") == 0


def test_expensive_requests_take_their_share_of_the_time() -> None:
    """However often a client tries, it uses the burst and then a tenth of the time."""
    clock = Clock()
    allowance = CpuAllowance(clock)
    used = 0.0
    for _ in range(10_000):
        clock.now += 0.1
        if allowance.wait_s("a") == 0:
            allowance.spend("a", 0.3 + USUAL_S)
            used += 0.3
    assert used <= BURST_S + SHARE * clock.now + 0.3


def test_a_client_waits_until_it_has_paid_back() -> None:
    clock = Clock()
    allowance = CpuAllowance(clock)
    allowance.spend("a", BURST_S + 1 + USUAL_S)
    wait = allowance.wait_s("a")
    assert abs(wait - 1 / SHARE) < 1e-6
    assert allowance.wait_s("b") == 0
    clock.now += wait + 0.001
    assert allowance.wait_s("a") == 0


def test_only_recent_clients_are_remembered() -> None:
    allowance = CpuAllowance(Clock())
    for number in range(20_000):
        allowance.spend(str(number), 1.0)
    assert len(allowance._charged) == 10_000
