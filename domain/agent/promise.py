"""The promise: a placeholder by which a merchant's template says that something is done."""

from typing import Final

from domain.agent.plan import ActionKind

PROMISES: Final = {
    ActionKind.REFUND: "refund_amount",
    ActionKind.CANCEL_ORDER: "cancelled_order",
}
"""Filled only where the action goes with the answer, and by nothing that a caller sends."""
