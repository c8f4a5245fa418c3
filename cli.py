"""The operator's command line: `.venv/bin/python cli.py --help`.

A command's module is imported when the command is chosen: what is imported here delays all of them.
"""

import os
import sys
from typing import Final, NoReturn

from typer.core import TyperGroup

from adapters.observability.logs import configure_logs
from commands.core.lazy import LazyCommand

COMMANDS: Final = (
    LazyCommand("dev", "commands.core.dev:dev", "Run everything on this machine until Ctrl-C."),
    LazyCommand(
        "demo",
        "commands.core.dev:demo",
        "Run everything, take the tour, end; exit code 1 if any step was not as expected.",
    ),
    LazyCommand(
        "serve", "commands.core.server:serve", "Serve the HTTP API until a signal ends it."
    ),
    LazyCommand(
        "worker",
        "commands.core.processes:worker",
        "Run a worker until a signal ends it. Several may run at once, on any machines.",
    ),
    LazyCommand(
        "migrate",
        "commands.core.processes:migrate",
        "Bring the database and Temporal's namespace up to this version; safe to repeat.",
    ),
    LazyCommand(
        "connections",
        "commands.core.connections:connections",
        "Add up the connections that all processes may open, and compare with what PostgreSQL "
        "allows.",
    ),
    LazyCommand(
        "reseal",
        "commands.privacy.reseal:reseal",
        "Seal what is stored sealed with the first key of SEAL_KEY, so that the others can go.",
    ),
    LazyCommand("token", "commands.tenants.token:token", "Make a session token for one hour."),
    LazyCommand(
        "import",
        "commands.exports.importing:bring_in",
        "Read an export back into an empty client, all of it or nothing. See docs/export.md.",
    ),
    LazyCommand(
        "export",
        "commands.exports.export:export",
        "Write all that is kept of a client to a file, as the client itself gets it. See "
        "docs/export.md.",
    ),
    LazyCommand(
        "client", "commands.tenants.client:app", "Merchants' accounts; `erase` removes one."
    ),
    LazyCommand(
        "usage",
        "commands.billing.usage:usage",
        "Show what a client has used of this month, what it may use, and when that will be "
        "used up.",
    ),
    LazyCommand("key", "commands.tenants.key:app", "API keys; `revoke` ends one."),
    LazyCommand(
        "member", "commands.tenants.member:app", "Members of a client; `remove` ends a membership."
    ),
    LazyCommand(
        "invitation",
        "commands.tenants.invitation:app",
        "Invitations that wait for a user's answer.",
    ),
    LazyCommand("playbook", "commands.playbooks.playbook:app", "Playbooks."),
    LazyCommand("case", "commands.cases.case:app", "Saved cases, and runs over all of them."),
    LazyCommand("replay", "commands.simulation.replay:app", "Past events, thought through again."),
    LazyCommand("template", "commands.content.starters:templates", "Response templates."),
    LazyCommand("knowledge", "commands.content.content:knowledge", "Knowledge entries."),
    LazyCommand("suggestion", "commands.content.suggestion:app", "What assistants suggest."),
    LazyCommand("loosening", "commands.tenants.loosening:app", "Changes that loosen rules."),
    LazyCommand(
        "automation", "commands.tenants.automation_stops:app", "The stop of everything automatic."
    ),
    LazyCommand("settings", "commands.tenants.settings:app", "What a client has set."),
    LazyCommand("widget", "commands.widget.widget:app", "The chat on a client's pages."),
    LazyCommand(
        "automation-event",
        "commands.exports.automation:app",
        "Events of the engine's first version.",
    ),
    LazyCommand(
        "mail-sender",
        "commands.integrations.mail_sender:app",
        "The sender of a client's mails to customers.",
    ),
    LazyCommand(
        "integration",
        "commands.integrations.integration:app",
        "A client's shops and helpdesks; `disconnect` ends one.",
    ),
    LazyCommand(
        "webhook", "commands.webhooks.webhook:app", "A client's webhooks and their deliveries."
    ),
    LazyCommand("inbound", "commands.inbound.inbound:app", "What other platforms' webhooks said."),
    LazyCommand(
        "data-request", "commands.inbound.data_request:app", "Customers who want their data."
    ),
    LazyCommand("credits", "commands.billing.credits:app", "Credits."),
    LazyCommand("payment", "commands.billing.payments:app", "Payments that need people."),
    LazyCommand("review", "commands.reviews.review:app", "Human review."),
    LazyCommand(
        "correction",
        "commands.learning.correction:app",
        "Edited and rejected reviews, to learn from.",
    ),
    LazyCommand("example", "commands.learning.example:app", "Labelled examples."),
    LazyCommand(
        "brain",
        "commands.learning.brain:app",
        "What a client's decided tickets teach the classifier.",
    ),
    LazyCommand("run", "commands.runs.run:app", "What the agent did, and why."),
    LazyCommand(
        "simulate",
        "commands.simulation.simulate:simulate",
        "Show what the agent would answer and do, and why. A worker thinks; nothing is done.",
    ),
    LazyCommand("metrics", "commands.analytics.metrics:app", "What a client's days came to."),
    LazyCommand(
        "insight",
        "commands.analytics.insight:app",
        "What a range of days came to, and what the agent could not answer.",
    ),
    LazyCommand("churn", "commands.analytics.churn:app", "Which customers are likely to leave."),
    LazyCommand(
        "deployment", "commands.core.deployment:app", "Builds of the workers, side by side."
    ),
    LazyCommand("errors", "commands.core.error_reports:app", "Error reports, kept for 30 days."),
    LazyCommand("erase", "commands.privacy.erase:app", "Erase a client or one customer, for good."),
    LazyCommand("audit", "commands.audit.audit:app", "The audit log: who changed what."),
    LazyCommand("retention", "commands.privacy.retention:app", "How long records are kept."),
)

app = TyperGroup(
    help="The customer-support engine.",
    commands=COMMANDS,
    no_args_is_help=True,
)


def main() -> NoReturn:
    """Run one command, and leave without tearing the interpreter down.

    Threads of Temporal's client may still want the interpreter while it is finalized, which ends a
    process whose work is done by a signal (measured: one in ten).
    """
    configure_logs("INFO")  # to stderr, where the audit entries of what it changes go
    try:
        app()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    else:
        code = 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
