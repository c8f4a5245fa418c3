"""The breaker with outcomes in any order: invariants for any receivers."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from domain.webhooks.breaker import KEPT_S, LEAST, PROBE_S, Breaker

_CLIENTS = st.integers(0, 11)
_DOMAINS = st.integers(0, 11)


class BreakerMachine(RuleBasedStateMachine):
    """A few clients and domains, each anyone's; a clock; no canary."""

    def __init__(self) -> None:
        super().__init__()
        self.breaker = Breaker()
        self.now = 0.0
        self.latest: dict[str, tuple[str, bool, float]] = {}
        self.probed: dict[str, float] = {}

    @initialize(failing=st.integers(0, 6))
    def failing_already(self, failing: int) -> None:
        for number in range(failing):
            self.post(number, number, reached=False)

    @rule(client=_CLIENTS, domain=_DOMAINS, reached=st.booleans())
    def post(self, client: int, domain: int, *, reached: bool) -> None:
        self.breaker.heard(f"c{client}", f"d{domain}", self.now, reached=reached)
        self.latest[f"c{client}"] = (f"d{domain}", reached, self.now)

    @rule(seconds=st.sampled_from([0.5, PROBE_S, 61.0, KEPT_S + 1]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(client=_CLIENTS)
    def ask(self, client: int) -> None:
        name = f"c{client}"
        let_through = self.breaker.lets_through(name, self.now)
        latest = self.latest.get(name)
        if not self.breaker.is_open(self.now) or latest is None or latest[1]:
            assert let_through
            return
        since = max(latest[2], self.probed.get(name, 0.0))
        assert not let_through or self.now - since >= PROBE_S
        if let_through:
            self.probed[name] = self.now

    @invariant()
    def open_only_on_the_word_of_many(self) -> None:
        if not self.breaker.is_open(self.now):
            return
        failed = {
            (client, domain)
            for client, (domain, reached, at) in self.latest.items()
            if not reached and at >= self.now - KEPT_S
        }
        assert len({client for client, _ in failed}) >= LEAST
        assert len({domain for _, domain in failed}) >= LEAST

    @invariant()
    def asking_changes_nothing(self) -> None:
        assert self.breaker.is_open(self.now) == self.breaker.is_open(self.now)

    def teardown(self) -> None:
        """In any state, it closes by itself once all receivers are reached and no failures
        follow."""
        for number in range(10):
            self.breaker.heard(f"c{number}", f"d{number}", self.now, reached=True)
        assert not self.breaker.is_open(self.now)
        for number in range(10):
            self.breaker.heard(f"c{number}", f"d{number}", self.now, reached=False)
        assert self.breaker.is_open(self.now)
        assert not self.breaker.is_open(self.now + KEPT_S + 1)


def test_breaker_in_any_order() -> None:
    run_state_machine_as_test(
        BreakerMachine,
        settings=settings(max_examples=60, stateful_step_count=40, deadline=None),
    )
