"""Histories of every branch, replayed with the current workflows."""

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from tests.replay.record import BRANCHES, HISTORIES, one_line
from workers import engine as engine_worker
from workers import webhooks as webhook_worker

WORKFLOWS = (*engine_worker.WORKFLOWS, *webhook_worker.WORKFLOWS)
RECORDED = {path.stem: path.read_text() for path in sorted(HISTORIES.glob("*.json"))}


@pytest.mark.parametrize("name", RECORDED)
async def test_history_replays(name: str) -> None:
    replayer = Replayer(workflows=WORKFLOWS, data_converter=pydantic_data_converter)

    await replayer.replay_workflow(WorkflowHistory.from_json(name, RECORDED[name]))


def test_every_branch_has_a_history() -> None:
    """A later history of a branch is named branch@day."""
    recorded = {name.split("@")[0] for name in RECORDED}

    assert recorded == BRANCHES


@pytest.mark.parametrize("name", RECORDED)
def test_a_history_is_written_on_one_line(name: str) -> None:
    assert RECORDED[name] == one_line(RECORDED[name])
    assert RECORDED[name].count("\n") == 1
