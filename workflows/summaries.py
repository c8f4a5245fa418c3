"""Summaries of activities and child workflows. The Temporal UI shows them next to the events. A
local activity appears there only as "MarkerRecorded" without a summary."""

from collections.abc import Mapping
from typing import Any, Final

from temporalio import workflow
from temporalio.worker import (
    Interceptor,
    StartActivityInput,
    StartChildWorkflowInput,
    StartLocalActivityInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

with workflow.unsafe.imports_passed_through():
    from domain.core import names

SUMMARIES: Final[Mapping[str, str]] = {
    names.NORMALIZE: "Normalize the event",
    names.LOOK_UP: "Look up the order",
    names.THINK: "Draft an answer",
    names.EXECUTE: "Execute the plan",
    names.PERSIST: "Store the outcome",
    names.SETTLE_REVIEW: "Read the reviewer's decision",
    names.REVISE_REVIEW: "Revise the review's draft",
    names.REHEARSE: "Dry run",
    names.DELIVER: "Send the webhook",
    names.TELL_OWNER: "Email the owner about a failing webhook",
    names.WORK_ON_WEBHOOK: "Process the inbound webhook",
    names.GIVE_UP_WEBHOOK: "Stop processing the inbound webhook",
    names.REPLY_DUE: "Read when the reply is due",
    names.DELIVER_REPLY: "Send the member's reply",
    names.FAIL_REPLY: "Mark the reply as failed",
    names.MAIL_ANSWER_UNSEEN: "Email the answer to the visitor",
    names.TELL_OF_REVIEW: "Post the review in the team's chat",
    names.CLOSE: "Close the account",
    names.ERASE_WORKFLOWS: "Delete workflow histories",
    names.ERASE_ROWS: "Delete rows",
    names.CERTIFY: "Write the erasure certificate",
    names.PROCESS_EVENT: "Process the event",
    names.DELIVER_WEBHOOK: "Deliver a webhook",
    names.TELL_REVIEWERS: "Notify the team about a review",
    names.MAIL_ANSWER: "Email a late answer",
    names.PROCESS_WEBHOOK: "Process the next inbound webhook",
}
"""The summaries, by the name of the activity or workflow. All other names are clear by
themselves."""


class Summarize(Interceptor):
    """An interceptor that adds the summaries to everything that a worker's workflows start."""

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002, ARG002 - SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        return _Inbound


class _Inbound(WorkflowInboundInterceptor):
    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_Outbound(outbound))


class _Outbound(WorkflowOutboundInterceptor):
    def start_activity(self, input: StartActivityInput) -> "workflow.ActivityHandle[Any]":  # noqa: A002 - SDK's name
        input.summary = input.summary or SUMMARIES.get(input.activity)
        return super().start_activity(input)

    def start_local_activity(
        self,
        input: StartLocalActivityInput,  # noqa: A002 - SDK's name
    ) -> "workflow.ActivityHandle[Any]":
        input.summary = input.summary or SUMMARIES.get(input.activity)
        return super().start_local_activity(input)

    async def start_child_workflow(
        self,
        input: StartChildWorkflowInput,  # noqa: A002 - SDK's name
    ) -> "workflow.ChildWorkflowHandle[Any, Any]":
        input.static_summary = input.static_summary or SUMMARIES.get(input.workflow)
        return await super().start_child_workflow(input)
