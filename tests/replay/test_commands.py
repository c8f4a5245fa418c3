"""The command sequence of each workflow equals the committed one."""

import json

from tests.replay.commands import SNAPSHOT, workflow_commands

ADVICE = """The commands of a workflow have changed. Runs that are parked for days will replay their
histories with this code: guard the change with workflow.patched() as docs/workflow-versioning.md
says, then accept it with `python -m tests.replay.record commands`."""


def test_commands_are_the_committed_ones() -> None:
    assert workflow_commands() == json.loads(SNAPSHOT.read_text()), ADVICE


def test_the_sequence_is_really_read() -> None:
    commands = workflow_commands()

    assert commands["ProcessEvent._normalize"] == [
        "within_budget(Normalize.normalize)",
        "self._send_webhooks()",
    ]
    assert commands["inside"] == [
        "execute_local_activity_method(activity)",
        "execute_activity_method(activity)",
    ]
    assert "self._carry_out()" in commands["ProcessEvent.run"]
    assert "start_deliveries(sending.client_id)" in commands["SendWebhooks.run"]
    assert commands["start_deliveries"] == ["_start()"]
