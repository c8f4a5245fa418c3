"""The operator's command line: `.venv/bin/python cli.py --help`.

A command's module is imported only when it is run, because imports here delay all commands.
"""

import os
import sys
from typing import Final, NoReturn

from commands.core.lazy import CommandList, LazyCommand

COMMANDS: Final = (
    LazyCommand("dev", "commands.core.dev:dev", "Run the complete service locally until Ctrl-C."),
    LazyCommand(
        "demo",
        "commands.core.dev:demo",
        "Run the complete service, take the tour, then stop. The exit code is 1 if a step of "
        "the tour fails.",
    ),
    LazyCommand(
        "serve",
        "commands.core.server:serve",
        "Serve the HTTP API until the process receives SIGTERM or SIGINT.",
    ),
    LazyCommand(
        "worker",
        "commands.core.processes:worker",
        "Run a worker until it receives a signal. You can run several workers at the same time, on "
        "one or more machines.",
    ),
    LazyCommand(
        "migrate",
        "commands.core.processes:migrate",
        "Migrate the database and Temporal's namespace to this version. The command is safe to "
        "repeat.",
    ),
    LazyCommand(
        "connections",
        "commands.core.connections:connections",
        "Check that PostgreSQL allows as many connections as all processes can open together. "
        "The exit code is 1 if its limit is too low.",
    ),
    LazyCommand(
        "reseal",
        "commands.privacy.reseal:reseal",
        "Re-encrypt all encrypted data with the first key in SEAL_KEY, so that the other keys can "
        "be removed.",
    ),
    LazyCommand(
        "token",
        "commands.tenants.token:token",
        "Create a session token that is valid for one hour.",
    ),
    LazyCommand(
        "import",
        "commands.exports.importing:bring_in",
        "Import an export into an empty client. Either all records are imported or none. See "
        "docs/export.md.",
    ),
    LazyCommand(
        "export",
        "commands.exports.export:export",
        "Export all of a client's records to a file. The client can download an identical file. "
        "See docs/export.md.",
    ),
    LazyCommand(
        "client",
        "commands.tenants.client:app",
        ("Manage merchant accounts. To remove one, use `erase`."),
    ),
    LazyCommand(
        "usage",
        "commands.billing.usage:usage",
        "Show a client's usage this month, its quota, and the day on which the quota is expected "
        "to run out.",
    ),
    LazyCommand(
        "key", "commands.tenants.key:app", ("Manage API keys. To disable one, use `revoke`.")
    ),
    LazyCommand(
        "member",
        "commands.tenants.member:app",
        "Manage members of a client. To end a membership, use `remove`.",
    ),
    LazyCommand(
        "invitation",
        "commands.tenants.invitation:app",
        "Manage invitations that are waiting for a user's response.",
    ),
    LazyCommand("playbook", "commands.playbooks.playbook:app", "Manage playbooks."),
    LazyCommand("case", "commands.cases.case:app", "Manage saved cases and run them."),
    LazyCommand(
        "replay",
        "commands.simulation.replay:app",
        "Replay past events with a variant of the configuration.",
    ),
    LazyCommand("template", "commands.content.starters:templates", "Manage response templates."),
    LazyCommand("knowledge", "commands.content.content:knowledge", "Manage knowledge entries."),
    LazyCommand(
        "suggestion", "commands.content.suggestion:app", "Manage suggestions from AI assistants."
    ),
    LazyCommand(
        "loosening", "commands.tenants.loosening:app", "Manage changes that loosen protections."
    ),
    LazyCommand(
        "automation", "commands.tenants.automation_stops:app", "Stop and resume all automation."
    ),
    LazyCommand(
        "business-hours",
        "commands.tenants.business_hours:app",
        "Manage a client's business hours and its target for the first answer.",
    ),
    LazyCommand(
        "notifications",
        "commands.reviews.notifications:app",
        "Manage members' email notifications.",
    ),
    LazyCommand("settings", "commands.tenants.settings:app", "Manage a client's settings."),
    LazyCommand(
        "widget", "commands.widget.widget:app", "Manage the chat widget on a client's website."
    ),
    LazyCommand(
        "automation-event",
        "commands.exports.automation:app",
        "Manage events from the engine's first version.",
    ),
    LazyCommand(
        "mail-sender",
        "commands.integrations.mail_sender:app",
        "Manage the sender of a client's customer emails.",
    ),
    LazyCommand(
        "integration",
        "commands.integrations.integration:app",
        "Manage a client's shops and helpdesks. To end a connection, use `disconnect`.",
    ),
    LazyCommand(
        "listen",
        "commands.webhooks.listen:listen",
        "Forward a client's webhook events to your local server, as they happen.",
    ),
    LazyCommand(
        "trigger",
        "commands.webhooks.listen:trigger",
        "Send a signed sample webhook event to your local server.",
    ),
    LazyCommand(
        "webhook",
        "commands.webhooks.webhook:app",
        "Manage a client's webhooks and their deliveries.",
    ),
    LazyCommand(
        "inbound",
        "commands.inbound.inbound:app",
        "Show and replay webhooks received from other platforms.",
    ),
    LazyCommand(
        "customer",
        "commands.customers.customer:app",
        "Find a client's customers and open data requests for them.",
    ),
    LazyCommand(
        "data-request", "commands.inbound.data_request:app", "Manage customer data requests."
    ),
    LazyCommand("credits", "commands.billing.credits:app", "Manage credits."),
    LazyCommand(
        "payment", "commands.billing.payments:app", "List payments that need manual action."
    ),
    LazyCommand("inbox", "commands.reviews.inbox:app", "List and change the tickets in the inbox."),
    LazyCommand("review", "commands.reviews.review:app", "List, claim and decide reviews."),
    LazyCommand(
        "conversation",
        "commands.runs.conversation:app",
        "Read, answer and triage conversations with customers.",
    ),
    LazyCommand(
        "correction",
        "commands.learning.correction:app",
        "Manage corrections from edited and rejected reviews.",
    ),
    LazyCommand("example", "commands.learning.example:app", "Manage labelled examples."),
    LazyCommand(
        "brain",
        "commands.learning.brain:app",
        "Show what a client's classifier has learned.",
    ),
    LazyCommand(
        "run",
        "commands.runs.run:app",
        "Show the agent's runs, with the reasons for each outcome.",
    ),
    LazyCommand(
        "simulate",
        "commands.simulation.simulate:simulate",
        "Show the answers and actions that the agent would choose, with the reasons. A worker runs "
        "the agent without executing any action.",
    ),
    LazyCommand("metrics", "commands.analytics.metrics:app", "Show and compute daily metrics."),
    LazyCommand(
        "insight",
        "commands.analytics.insight:app",
        "Show insight reports and unanswered questions.",
    ),
    LazyCommand(
        "churn",
        "commands.analytics.churn:app",
        ("Show and compute predictions of which customers are likely to leave."),
    ),
    LazyCommand("deployment", "commands.core.deployment:app", "Manage worker builds."),
    LazyCommand(
        "errors",
        "commands.core.error_reports:app",
        "Show error reports, which are kept for 30 days.",
    ),
    LazyCommand(
        "erase", "commands.privacy.erase:app", "Permanently erase a client or one customer."
    ),
    LazyCommand(
        "audit",
        "commands.audit.audit:app",
        "Show and verify the audit log, and export its checkpoints.",
    ),
    LazyCommand("retention", "commands.privacy.retention:app", "Show how long records are kept."),
)

app = CommandList(
    help="Run and manage the customer-support engine.",
    commands=COMMANDS,
    no_args_is_help=True,
)


def main() -> NoReturn:
    """Run one command, and exit without finalizing the interpreter, because threads of the Temporal
    client may still need the interpreter. In a measurement, a signal killed one in ten processes
    during finalization, after the command had finished."""
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
