"""Commands whose modules are imported only when they run, so that every command starts quickly."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from adapters.processes.module_loading import loading_modules

if TYPE_CHECKING:
    from typer._click import Command, Context


class LazyCommand(TyperCommand):
    """A command or command group. Until it is used, only its name and help text are loaded."""

    def __init__(self, name: str, place: str, help: str) -> None:  # noqa: A002 - typer's name
        """Describe a command without importing it. `place`: "module:attribute" of a group's Typer
        app or of a command's function. `help`: the text shown in the list of commands."""
        super().__init__(name, help=help)
        self._place = place

    def chosen(self) -> "Command":
        """Import the command's module and return the command."""
        module, _, attribute = self._place.partition(":")
        with loading_modules():
            found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            return typer.main.get_group(found)
        alone = typer.Typer(add_completion=False)
        alone.command(self.name)(found)
        return typer.main.get_command(alone)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: "Context | None" = None,
        **extra: Any,
    ) -> "Context":
        return self.chosen().make_context(info_name, args, parent, **extra)


class CommandList(TyperGroup):
    """The group of all commands."""

    def invoke(self, ctx: "Context") -> Any:
        """Configure the logs and run the chosen command. The logs go to standard error, like the
        audit entries for a command's changes."""
        # The module is imported here because `--help` writes no logs.
        with loading_modules():
            from adapters.observability.logs import configure_logs  # noqa: PLC0415 - slow to load
        configure_logs("INFO")
        return super().invoke(ctx)
