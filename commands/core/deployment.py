"""deployment: the worker builds that are registered in Temporal, and the current build."""

from typing import Annotated

import typer
from temporalio.common import WorkerDeploymentVersion
from temporalio.service import RPCError

from adapters.system import utc_now
from adapters.temporal.connection import connect
from adapters.temporal.deployments import builds
from adapters.temporal.deployments import promote as make_current
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    settings_for,
)
from domain.core.errors import InvalidInput
from settings import Settings

app = typer.Typer(help="Manage worker builds.", no_args_is_help=True)


@command(app, "promote")
async def promote(
    build_id: Annotated[
        str | None, typer.Argument(help="Id of the build; defaults to TEMPORAL_BUILD_ID.")
    ] = None,
    wait_s: Annotated[
        float,
        typer.Option(min=0, help=("Seconds to wait until workers of the build poll both queues.")),
    ] = 120,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Wait until the workers of a build poll the engine queue and the webhook queue, then make that
    build the current build."""
    settings = settings_for(data)
    deployment, ours = _version_of(settings)
    build = WorkerDeploymentVersion(deployment, build_id or ours)
    client = await connect(settings.temporal)
    try:
        before = await make_current(client, build, utc_now, patience_s=wait_s)
    except RPCError as error:
        raise InvalidInput(f"Temporal: {error.message}") from error
    answer(
        as_json,
        "This build now receives all new work. You can stop the workers of other builds.",
        deployment=deployment,
        build_id=build.build_id,
        before=before,
    )


@command(app, "show")
async def show(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Show the worker builds that are registered in Temporal. All work goes to the current
    build."""
    settings = settings_for(data)
    deployment, _ = _version_of(settings)
    try:
        known = await builds(await connect(settings.temporal), deployment)
    except RPCError as error:
        raise InvalidInput(f"Temporal: {error.message}") from error
    listed = {build.build_id: build.status for build in known}
    if as_json:
        answer(True, "", deployment=deployment, builds=listed)
    else:
        answer(False, deployment, **listed)


def _version_of(settings: Settings) -> tuple[str, str]:
    if settings.temporal.version is None:
        raise InvalidInput("TEMPORAL_DEPLOYMENT is not set, so the workers have no builds")
    return settings.temporal.version
