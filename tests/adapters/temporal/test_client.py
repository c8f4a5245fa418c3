"""Rare server behavior that callers must not notice."""

from typing import Any

import pytest
from temporalio.service import RPCError, RPCStatusCode

from store.billing.tables import usage_ledger
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import ORDER_QUESTION, Shop


async def test_a_start_whose_question_is_lost_is_joined(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Observed with server 1.32 while a worker stopped: the run exists, and every repeated start is
    rejected."""
    service = engine.client.workflow_service
    ask = type(service).execute_multi_operation
    starts: list[str] = []

    async def lose_the_first(self: Any, request: Any, **options: Any) -> Any:
        starts.append(request.operations[0].start_workflow.request_id)
        answer = await ask(self, request, **options)
        if starts == [starts[0]]:
            raise RPCError("Workflow was not started: StartDeduped", RPCStatusCode.UNAVAILABLE, b"")
        return answer

    monkeypatch.setattr(type(service), "execute_multi_operation", lose_the_first)

    answer = await engine.post(shop, message=ORDER_QUESTION)

    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert len(set(starts)) == 2
    ledger = await only_row(engine.database, usage_ledger, client_id=shop.client_id)
    assert ledger["event_id"] == answer.json()["event_id"]
