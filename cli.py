"""The operator's command line: `.venv/bin/python cli.py --help`."""

import typer

from commands import client, content, dev, errors, key, member, playbook, review, server, token
from commands import credits as credit

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
app.command("token")(token.token)
app.add_typer(client.app, name="client")
app.add_typer(key.app, name="key")
app.add_typer(member.app, name="member")
app.add_typer(playbook.app, name="playbook")
app.add_typer(content.templates, name="template")
app.add_typer(content.knowledge, name="knowledge")
app.add_typer(credit.app, name="credits")
app.add_typer(review.app, name="review")
app.add_typer(errors.app, name="errors")

if __name__ == "__main__":
    app()
