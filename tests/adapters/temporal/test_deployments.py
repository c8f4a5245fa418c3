"""Worker builds: a build gets no work before it is promoted."""

import pytest
from structlog.testing import capture_logs
from temporalio.common import WorkerDeploymentVersion

from adapters.system import utc_now
from adapters.temporal.deployments import (
    builds,
    deployment_config,
    promote,
    tell_if_passed_over,
)
from adapters.temporal.health import Work, pollers, workers
from domain.core import names
from domain.core.errors import InvalidInput
from tests.support.core.engine import LiveEngine, settings_of
from tests.support.core.waiting import eventually
from workers import webhooks as webhook_worker

BUILD = WorkerDeploymentVersion("tests", "new")


def test_workers_are_of_no_build_unless_both_names_are_set() -> None:
    def given(**names_: str) -> WorkerDeploymentVersion | None:
        temporal = settings_of("postgresql://u@h/d", "h:1", **names_).temporal
        config = deployment_config(temporal)
        return config.version if config else None

    assert given() is None
    assert given(temporal_deployment="tests", temporal_build_id="new") == BUILD
    with pytest.raises(InvalidInput, match="both of them or none"):
        given(temporal_build_id="new")
    with pytest.raises(InvalidInput, match="TEMPORAL_BUILD_ID"):
        given(temporal_deployment="tests", temporal_build_id="1.2")


@pytest.mark.slow
async def test_a_build_that_nobody_promoted_counts_for_nothing(idle_engine: LiveEngine) -> None:
    """Only one of its workers is running, so the build cannot be promoted."""
    client, queue = idle_engine.client, names.WEBHOOKS_QUEUE
    temporal = settings_of(
        "postgresql://u@h/d", "h:1", temporal_deployment="tests", temporal_build_id="new"
    ).temporal

    async def asks() -> bool:
        found = await pollers(client, Work.WORKFLOWS, utc_now(), queue=queue)
        return [one.version for one in found] == [BUILD]

    with pytest.raises(InvalidInput, match="no worker has ever been"):
        await builds(client, "tests")
    async with webhook_worker.at_work(
        client,
        idle_engine.deliveries,
        sandbox=False,
        tracker=idle_engine.app.state.resources.tracker,
        deployment=deployment_config(temporal),
    ):
        await eventually(asks)
        assert await workers(client, Work.WORKFLOWS, utc_now(), queue=queue) == []
        with capture_logs() as lines:
            await tell_if_passed_over(client, temporal, queue=queue)
            await tell_if_passed_over(client, idle_engine.settings.temporal, queue=queue)
        assert [(line["build_id"], line["current"]) for line in lines] == [("new", None)]
        with pytest.raises(InvalidInput, match="no worker of new asks for workflows of engine"):
            await promote(client, BUILD, utc_now, patience_s=0.5)
