"""The operator's command line: `.venv/bin/python cli.py --help`."""

import os
import sys
from typing import NoReturn

import typer

from adapters.observability.logs import configure_logs
from commands.analytics import churn, metrics
from commands.billing import credits as credit
from commands.content import content
from commands.core import connections, deployment, dev, server
from commands.core import error_reports as errors
from commands.exports import automation, importing
from commands.integrations import integration
from commands.playbooks import playbook
from commands.privacy import erase, reseal, retention
from commands.reviews import review
from commands.runs import run
from commands.tenants import client, key, member, settings, token
from commands.webhooks import webhook

app = typer.Typer(
    help="The customer-support engine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("dev")(dev.dev)
app.command("demo")(dev.demo)
app.command("serve")(server.serve)
app.command("worker")(server.worker)
app.command("migrate")(server.migrate)
app.command("connections")(connections.connections)
app.command("reseal")(reseal.reseal)
app.command("token")(token.token)
app.command("import")(importing.bring_in)
app.add_typer(client.app, name="client")
app.add_typer(key.app, name="key")
app.add_typer(member.app, name="member")
app.add_typer(playbook.app, name="playbook")
app.add_typer(content.templates, name="template")
app.add_typer(content.knowledge, name="knowledge")
app.add_typer(settings.app, name="settings")
app.add_typer(automation.app, name="automation-event")
app.add_typer(integration.app, name="integration")
app.add_typer(webhook.app, name="webhook")
app.add_typer(credit.app, name="credits")
app.add_typer(review.app, name="review")
app.add_typer(run.app, name="run")
app.add_typer(metrics.app, name="metrics")
app.add_typer(churn.app, name="churn")
app.add_typer(deployment.app, name="deployment")
app.add_typer(errors.app, name="errors")
app.add_typer(erase.app, name="erase")
app.add_typer(retention.app, name="retention")


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
