"""The metrics that the service declares. docs/service-metrics.md lists them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class MetricKind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class DeclaredMetric:
    """A metric of a process or of the installation. `name` is without the common prefix and the
    counters' suffix. `meaning` is the help text in `GET /metrics`."""

    kind: MetricKind
    name: str
    meaning: str
    labels: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """Return the name under which the metric is exported."""
        suffix = "_total" if self.kind is MetricKind.COUNTER else ""
        return f"engine_{self.name}{suffix}"


HTTP_REQUESTS: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "http_requests",
    "Responses. `route`: the route template, or `unmatched`. `status`: the status code, or 0 if no "
    "response was sent to the caller.",
    ("method", "route", "status"),
)
HTTP_REQUEST_DURATION: Final = DeclaredMetric(
    MetricKind.HISTOGRAM,
    "http_request_duration_seconds",
    "Time from a request to its response. `route`: the route template, or `unmatched`.",
    ("method", "route"),
)
HTTP_REQUESTS_IN_FLIGHT: Final = DeclaredMetric(
    MetricKind.GAUGE, "http_requests_in_flight", "Requests in progress."
)
GATEWAY_OUTCOMES: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "gateway_outcomes",
    "Responses of the gateway. `status`: `completed`, `needs_review`, `failed`, `no_playbook` or "
    "`dry_run`.",
    ("status",),
)
REFUSALS: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "refusals",
    "4xx responses, including those before routing, and `server_busy` (503). `code`: the error's "
    "code.",
    ("code",),
)
INBOUND_WEBHOOKS: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "inbound_webhooks",
    "Authentic inbound webhooks. `was`: `new`, `known`, `conflict`, or `left` (not stored).",
    ("provider", "was"),
)
INBOUND_OF_NOBODY: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "inbound_of_nobody",
    "Authentic inbound webhooks for a platform account that is not verified for any client.",
    ("provider",),
)
ERROR_REPORTS: Final = DeclaredMetric(
    MetricKind.COUNTER, "error_reports", "Errors reported. `code`: the error's code.", ("code",)
)
ERROR_REPORTS_DROPPED: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "error_reports_dropped",
    "Error reports that the error tracker rejects permanently, or that cannot be stored.",
)
ERROR_REPORTS_UNSPOOLED: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "error_reports_unspooled",
    "Failures to write, sync or delete an error report in `ERROR_SPOOL`.",
)
ACTIVITIES: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "activities",
    "Finished executions of activities in the worker, including retries. `outcome`: `completed`, "
    "`failed` or `deferred`.",
    ("activity", "outcome"),
)
ACTIVITY_DURATION: Final = DeclaredMetric(
    MetricKind.HISTOGRAM,
    "activity_duration_seconds",
    "Duration of each execution of an activity.",
    ("activity",),
)
WEBHOOK_TRIES: Final = DeclaredMetric(
    MetricKind.COUNTER,
    "webhook_tries",
    "Finished delivery attempts. `status`: `success`, `failed`, `skipped`, or `pending` if the "
    "delivery will be retried. `failure`: the kind of failure, or empty.",
    ("status", "failure"),
)
WEBHOOK_DURATION: Final = DeclaredMetric(
    MetricKind.HISTOGRAM,
    "webhook_duration_seconds",
    "Duration of each POST to a webhook endpoint. `status`: as for `engine_webhook_tries_total`.",
    ("status",),
)
WEBHOOK_OWN_FAILURE: Final = DeclaredMetric(
    MetricKind.GAUGE,
    "webhook_own_failure",
    "1 while our own resolver (`names`) or `network` probably fails, otherwise 0. Deliveries then "
    "wait.",
    ("part",),
)
EVENT_LOOP_HOLD: Final = DeclaredMetric(
    MetricKind.HISTOGRAM,
    "event_loop_hold_seconds",
    "Event loop blocks above 50 ms. `cause`: `own` if the loop's own computation blocked it, "
    "otherwise `other`.",
    ("cause",),
)
POOL_SIZE: Final = DeclaredMetric(
    MetricKind.GAUGE, "database_pool_size", "Maximum connections to PostgreSQL.", ("pool",)
)
POOL_IN_USE: Final = DeclaredMetric(
    MetricKind.GAUGE, "database_pool_in_use", "Connections in use.", ("pool",)
)
POOL_WAITING: Final = DeclaredMetric(
    MetricKind.GAUGE, "database_pool_waiting", "Tasks that are waiting for a connection.", ("pool",)
)

PROCESS_METRICS: Final = (
    *(HTTP_REQUESTS, HTTP_REQUEST_DURATION, HTTP_REQUESTS_IN_FLIGHT, GATEWAY_OUTCOMES, REFUSALS),
    *(INBOUND_WEBHOOKS, INBOUND_OF_NOBODY),
    *(ERROR_REPORTS, ERROR_REPORTS_DROPPED, ERROR_REPORTS_UNSPOOLED),
    *(ACTIVITIES, ACTIVITY_DURATION, WEBHOOK_TRIES, WEBHOOK_DURATION, WEBHOOK_OWN_FAILURE),
    *(EVENT_LOOP_HOLD, POOL_SIZE, POOL_IN_USE, POOL_WAITING),
)

INSTALLATION_METRICS: Final = (
    DeclaredMetric(MetricKind.GAUGE, "received_runs", "Runs that no worker has started."),
    DeclaredMetric(
        MetricKind.GAUGE,
        "oldest_received_run_seconds",
        "Age of the oldest run that no worker has started; 0 if there is none.",
    ),
    DeclaredMetric(
        MetricKind.GAUGE,
        "installation_stopped",
        "1 while the operators have stopped all automation, otherwise 0.",
    ),
    DeclaredMetric(MetricKind.GAUGE, "open_reviews", "Undecided reviews."),
    DeclaredMetric(MetricKind.GAUGE, "pending_deliveries", "Unfinished deliveries of webhooks."),
    DeclaredMetric(
        MetricKind.GAUGE,
        "unfinished_webhooks",
        "Inbound webhooks in progress or queued. Webhooks that are waiting because of "
        "their client's limit are not counted.",
    ),
    DeclaredMetric(
        MetricKind.GAUGE,
        "oldest_unfinished_webhook_seconds",
        "Age of the oldest inbound webhook in progress or queued; 0 if there is none.",
    ),
    DeclaredMetric(
        MetricKind.GAUGE,
        "task_queue_backlog",
        "Temporal's estimate of the tasks that no worker has started. `work`: `workflows` or "
        "`activities`.",
        ("queue", "work"),
    ),
    DeclaredMetric(
        MetricKind.GAUGE,
        "task_queue_backlog_seconds",
        "Temporal's estimate of the age of the oldest task that no worker has started.",
        ("queue", "work"),
    ),
    DeclaredMetric(
        MetricKind.GAUGE,
        "failed_schedules",
        "Runs of schedules that failed in the last 24 hours.",
    ),
    DeclaredMetric(
        MetricKind.GAUGE,
        "state_known",
        "1 if the source (`database` or `temporal`) reported its values, otherwise 0.",
        ("source",),
    ),
)
