"""Names stored in Temporal's workflow histories. Never change an existing name; add a new one
instead."""

from datetime import date
from typing import Final

ENGINE_QUEUE: Final = "engine"
WEBHOOKS_QUEUE: Final = "webhooks"
QUEUES: Final = (ENGINE_QUEUE, WEBHOOKS_QUEUE)

PROCESS_EVENT: Final = "ProcessEvent"
DRY_RUN: Final = "DryRun"
SWEEP: Final = "Sweep"
MONTHLY_RESET: Final = "MonthlyReset"
HOUSEKEEPING: Final = "Housekeeping"
DELIVER_WEBHOOK: Final = "DeliverWebhook"
SEND_WEBHOOKS: Final = "SendWebhooks"
DAILY_METRICS: Final = "DailyMetrics"
BACKFILL_METRICS: Final = "BackfillMetrics"
WEEKLY_CHURN: Final = "WeeklyChurn"
RETENTION: Final = "Retention"
ERASE: Final = "Erase"
FORGET_DRY_RUNS: Final = "ForgetDryRuns"
ANCHOR_AUDIT: Final = "AnchorAudit"
SEND_MAIL: Final = "SendMail"
MAIL_ANSWER: Final = "MailAnswer"
PROCESS_WEBHOOK: Final = "ProcessWebhook"
RECONCILE_INBOUND: Final = "ReconcileInbound"
TELL_REVIEWERS: Final = "TellReviewers"
SIMULATE: Final = "Simulate"
RUN_CASES: Final = "RunCases"
REPLAY: Final = "Replay"
LEARN_HEADS_WORKFLOW: Final = "LearnHeads"
SEND_REPLY: Final = "SendReply"
IMPORT_SITE: Final = "ImportSite"
MAIL_MEMBERS_WORKFLOW: Final = "MailMembers"

ANSWER_UPDATE: Final = "answer"
REVIEW_DECIDED_SIGNAL: Final = "review_decided"
TRY_NOW_SIGNAL: Final = "try_now"
PROGRESS_QUERY: Final = "progress"
STATE_QUERY: Final = "state"

NORMALIZE: Final = "event.normalize"
LOOK_UP: Final = "event.look_up"
THINK: Final = "event.brain"
EXECUTE: Final = "event.execute"
PERSIST: Final = "event.persist"
SETTLE_REVIEW: Final = "review.settle"
REVISE_REVIEW: Final = "review.revise"
REHEARSE: Final = "event.dry_run"
FORGET_REHEARSALS: Final = "dry_runs.forget"
SWEEP_RECEIVED: Final = "sweep.received"
SWEEP_DECISIONS: Final = "sweep.decisions"
SWEEP_KNOWLEDGE: Final = "sweep.knowledge"
OPEN_PERIOD: Final = "usage.open_period"
RECONCILE: Final = "usage.reconcile"
PRUNE: Final = "housekeeping.prune"
DELIVER: Final = "webhook.deliver"
TELL_OWNER: Final = "webhook.tell_owner"
SWEEP_DELIVERIES: Final = "sweep.deliveries"
SWEEP_REVIEWS: Final = "sweep.reviews"
SWEEP_LOOSENINGS: Final = "sweep.loosenings"
SWEEP_CUSTOMERS: Final = "sweep.customers"
COMPUTE_METRICS: Final = "metrics.compute"
PREDICT_CHURN: Final = "churn.predict"
RETAIN: Final = "retention.remove"
CLOSE: Final = "erase.close"
ERASE_WORKFLOWS: Final = "erase.workflows"
ERASE_ROWS: Final = "erase.rows"
CERTIFY: Final = "erase.certify"
ANCHOR_HEADS: Final = "audit.anchor"
SEND_IDENTITY_MAIL: Final = "identity.mail"
SEND_VISITOR_CODE: Final = "widget.mail_code"
SEND_ADDRESS_CODE: Final = "runs.mail_address_code"
SEND_SENDER_CODE: Final = "mail_sender.code"
MAIL_ANSWER_UNSEEN: Final = "widget.mail_answer"
WORK_ON_WEBHOOK: Final = "inbound.work"
GIVE_UP_WEBHOOK: Final = "inbound.give_up"
SWEEP_WEBHOOKS: Final = "sweep.inbound"
POLL_INTEGRATIONS: Final = "inbound.poll"
TELL_OF_DATA_REQUESTS: Final = "data_request.tell"
TELL_OF_REVIEW: Final = "review.tell"
THINK_SCENARIO: Final = "simulation.think"
BEGIN_CASE_RUN: Final = "cases.begin"
TRY_CASE: Final = "cases.try"
END_CASE_RUN: Final = "cases.end"
BEGIN_REPLAY: Final = "replay.begin"
REPLAY_PAGE: Final = "replay.page"
END_REPLAY: Final = "replay.end"
SWEEP_BACKGROUND: Final = "sweep.background"
FIND_GAPS: Final = "insight.gaps"
LEARN_HEADS: Final = "brain.learn"
REPLY_DUE: Final = "reply.due"
DELIVER_REPLY: Final = "reply.send"
FAIL_REPLY: Final = "reply.fail"
OPEN_SITE: Final = "site.open"
READ_SITE: Final = "site.read"
END_SITE: Final = "site.end"
MAIL_MEMBERS: Final = "members.mail"

SWEEP_SCHEDULE: Final = "sweep"
MONTHLY_RESET_SCHEDULE: Final = "monthly-reset"
HOUSEKEEPING_SCHEDULE: Final = "housekeeping"
DAILY_METRICS_SCHEDULE: Final = "daily-metrics"
WEEKLY_CHURN_SCHEDULE: Final = "weekly-churn"
RETENTION_SCHEDULE: Final = "retention"
FORGET_DRY_RUNS_SCHEDULE: Final = "forget-dry-runs"
ANCHOR_AUDIT_SCHEDULE: Final = "anchor-audit"
LEARN_HEADS_SCHEDULE: Final = "learn-heads"
RECONCILE_INBOUND_SCHEDULE: Final = "reconcile-inbound"
MAIL_MEMBERS_SCHEDULE: Final = "mail-members"

RUN_STATUS_ATTRIBUTE: Final = "RunStatus"
CLASSIFICATION_ATTRIBUTE: Final = "Classification"
REVIEW_REASON_ATTRIBUTE: Final = "ReviewReason"
CLIENT_ATTRIBUTE: Final = "ClientId"


def process_event_id(client_id: str, event_id: str) -> str:
    """Return the workflow id for the run that processes an event."""
    return f"event/{client_id}/{event_id}"


def dry_run_id(client_id: str, event_id: str) -> str:
    """Return the workflow id for a dry run."""
    return f"dry-run/{client_id}/{event_id}"


def process_webhook_id(client_id: str, webhook_id: str) -> str:
    """Return the id of the workflow that processes an inbound webhook. `webhook_id` is the id of
    the webhook's database row."""
    return f"inbound/{client_id}/{webhook_id}"


def tell_reviewers_id(client_id: str, review_id: str) -> str:
    """Return the id of the workflow that notifies reviewers of a review."""
    return f"notice/{client_id}/{review_id}"


def deliver_webhook_id(client_id: str, delivery_id: str) -> str:
    """Return the workflow id for one webhook delivery."""
    return f"webhook/{client_id}/{delivery_id}"


def send_webhooks_id(client_id: str, first_delivery_id: str) -> str:
    """Return the id of the workflow that sends deliveries outside of a run, each in a child
    workflow. `first_delivery_id` is the id of the first of these deliveries."""
    return f"webhooks/{client_id}/{first_delivery_id}"


def backfill_metrics_id(client_id: str, first: date, last: date) -> str:
    """Return the workflow id for a metrics backfill. The same client and days always give the same
    id. An empty `client_id` selects all clients."""
    return f"metrics/{client_id or 'all'}/{first}/{last}"


def weekly_churn_id(client_id: str, week: date) -> str:
    """Return the id of the workflow that predicts churn for one week on demand. `client_id`: empty
    for all clients."""
    return f"churn/{client_id or 'all'}/{week}"


def erase_id(client_id: str, subject: str) -> str:
    """Return the workflow id for an erasure.

    `subject`: empty to erase the whole client, else the hexadecimal digest of the customer to
    erase.
    """
    return f"erase/{client_id}/{subject}" if subject else f"erase/{client_id}"


def send_mail_id(client_id: str, record_id: str) -> str:
    """Return the id of the workflow that sends an email. `client_id`: empty for a sign-in code."""
    return f"mail/{client_id}/{record_id}" if client_id else f"mail/{record_id}"


def mail_answer_id(client_id: str, session_id: str, number: int) -> str:
    """Return the id of the workflow that emails one answer from a widget session. `number` is the
    answer's number in the session."""
    return f"mail/{client_id}/{session_id}/{number}"


def simulate_id(client_id: str, simulation_id: str) -> str:
    """Return the workflow id for a simulation. `simulation_id` is an id that is used only here,
    because a simulation has no database row."""
    return f"simulate/{client_id}/{simulation_id}"


_BACKGROUND: Final = {
    RUN_CASES: "cases",
    REPLAY: "replay",
    SEND_REPLY: "reply",
    IMPORT_SITE: "site",
}


def background_id(workflow: str, client_id: str, record_id: str) -> str:
    """Return the workflow id for a long-running job: a case run, a replay, a member's reply or an
    import from a website. `record_id` is the id of the job's database row."""
    return f"{_BACKGROUND[workflow]}/{client_id}/{record_id}"


def run_prefixes(client_id: str) -> tuple[str, ...]:
    """Return the prefixes of all workflow ids of a client, except the workflow ids of erasures."""
    kinds = (
        "event", "dry-run", "webhooks", "webhook", "metrics", "churn", "mail", "inbound", "notice",
        "simulate", "cases", "replay", "reply", "site",
    )  # fmt: skip
    return tuple(f"{kind}/{client_id}/" for kind in kinds)


def parse_run_id(workflow_id: str) -> dict[str, str]:
    """Return the client_id and event_id in a run's workflow id, or an empty dict for any other
    workflow id."""
    match workflow_id.split("/"):
        case ["event" | "dry-run", client_id, event_id]:
            return {"client_id": client_id, "event_id": event_id}
        case _:
            return {}
