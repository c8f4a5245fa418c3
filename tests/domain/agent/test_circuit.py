"""The circuit breaker of a provider."""

import pytest

from domain.agent.circuit import FAULTS_TO_OPEN, OPEN_S, Circuit
from domain.agent.model_fault import OPENING, UNUSABLE, ModelFault


def _opened(fault: ModelFault = ModelFault.OUTAGE) -> Circuit:
    circuit = Circuit()
    for now in range(FAULTS_TO_OPEN):
        assert circuit.admits(now)
        circuit.settle(fault, now)
    return circuit


@pytest.mark.parametrize("fault", sorted(OPENING))
def test_opens_after_consecutive_faults_of_the_provider(fault: ModelFault) -> None:
    assert not _opened(fault).admits(FAULTS_TO_OPEN)


@pytest.mark.parametrize("fault", sorted(set(ModelFault) - OPENING))
def test_faults_of_one_message_or_one_model_do_not_open(fault: ModelFault) -> None:
    assert _opened(fault).admits(FAULTS_TO_OPEN)


@pytest.mark.parametrize("fault", [None, *sorted(UNUSABLE)])
def test_a_delivered_answer_starts_the_count_again(fault: ModelFault | None) -> None:
    circuit = Circuit()
    for now in range(3 * FAULTS_TO_OPEN):
        assert circuit.admits(now)
        circuit.settle(fault if now % 2 else ModelFault.OUTAGE, now)


def test_one_probe_after_the_pause() -> None:
    circuit = _opened()
    later = FAULTS_TO_OPEN - 1 + OPEN_S

    assert not circuit.admits(later - 1)
    assert circuit.admits(later)
    assert not circuit.admits(later)


def test_a_probe_that_succeeds_closes_and_one_that_fails_opens_again() -> None:
    circuit = _opened()
    later = FAULTS_TO_OPEN + OPEN_S
    assert circuit.admits(later)
    circuit.settle(ModelFault.TIMEOUT, later)
    assert not circuit.admits(later + 1)

    assert circuit.admits(later + OPEN_S)
    circuit.settle(None, later + OPEN_S)
    assert circuit.admits(later + OPEN_S)
    assert circuit.admits(later + OPEN_S)


def test_a_cancelled_probe_leaves_room_for_the_next() -> None:
    circuit = _opened()
    later = FAULTS_TO_OPEN + OPEN_S
    assert circuit.admits(later)

    circuit.abandon()

    assert circuit.admits(later)
