"""The event workflow of a later build, with an additional step behind a patch."""

from typing import Final

from temporalio import workflow
from temporalio.common import SearchAttributeKey

with workflow.unsafe.imports_passed_through():
    from domain.agent.plan import ActionKind
    from domain.core import names
    from domain.runs.contracts import ExecuteResult, ProcessEventInput, RunFacts
    from workflows.process_event import ProcessEvent

PATCH: Final = "tests-shows-more"
_RUN_STATUS: Final = SearchAttributeKey.for_keyword(names.RUN_STATUS_ATTRIBUTE)


@workflow.defn(name=names.PROCESS_EVENT)
class ChangedProcessEvent(ProcessEvent):
    @workflow.init
    def __init__(self, event: ProcessEventInput) -> None:
        super().__init__(event)

    @workflow.run
    async def run(self, event: ProcessEventInput) -> RunFacts:
        return await super().run(event)

    async def _execute(self, actions: tuple[ActionKind, ...]) -> ExecuteResult:
        if workflow.patched(PATCH):
            workflow.upsert_search_attributes([_RUN_STATUS.value_set("executing")])
        return await super()._execute(actions)


@workflow.defn(name=names.PROCESS_EVENT)
class UngatedProcessEvent(ProcessEvent):
    """A faulty deploy. It contains the change without its patch, at a point that pending runs have
    passed."""

    @workflow.init
    def __init__(self, event: ProcessEventInput) -> None:
        super().__init__(event)

    @workflow.run
    async def run(self, event: ProcessEventInput) -> RunFacts:
        workflow.upsert_search_attributes([_RUN_STATUS.value_set("executing")])
        return await super().run(event)
