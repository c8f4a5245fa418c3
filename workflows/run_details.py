"""The current details of a run, which operators read in the Temporal UI."""

from typing import Final

from domain.runs.contracts import RunProgress, RunStep

_STEPS: Final = {
    RunStep.NORMALIZE: "Normalizing the event",
    RunStep.LOOK_UP: "Looking up the order",
    RunStep.THINK: "Drafting an answer",
    RunStep.EXECUTE: "Executing the plan",
    RunStep.REVIEW: "Waiting for a decision on a review",
    RunStep.DONE: "Completed",
}


def details_of(progress: RunProgress) -> str:
    """Return the details as Markdown. They contain ids, codes and times, and no customer text."""
    lines = [f"**{_STEPS[progress.step]}**", f"- Run: `{progress.run_id}`"]
    if progress.status is not None:
        lines.append(f"- Status: `{progress.status}`")
    if progress.step is RunStep.REVIEW:
        lines += [
            f"- Review: `{progress.review_id}`, round {progress.round}",
            f"- Reason: `{progress.reason}`",
            "- Who decides: an owner, admin or agent of the client, in the dashboard's inbox",
        ]
    if progress.expires_at is not None:
        lines.append(f"- Expires: {progress.expires_at:%Y-%m-%d %H:%M} UTC")
    return "\n".join(lines)
