"""What a command takes from a running stack."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from adapters.seal import new_seal_key
from commands.core.context import settings_for
from domain.core.errors import InvalidInput
from embedded.data_folder import DataFolder, StackInfo

HERE = {
    "DATABASE_URL": "postgresql://engine_app@/here",
    "TEMPORAL_ADDRESS": "127.0.0.1:7233",
    "SEAL_KEY": new_seal_key(),
    "INSTANCE_ID": "here",
}


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder with a running stack."""
    folder = DataFolder(tmp_path / "data")
    with folder.locked():
        folder.publish(StackInfo(env=HERE, api_url="", ui_url="", pids={}))
        yield folder.root


@pytest.mark.parametrize("given", [{}, {"DATABASE_URL": HERE["DATABASE_URL"], "SEAL_KEY": ""}])
def test_a_command_joins_the_stack_beside_it(data: Path, given: dict[str, str]) -> None:
    with patch.dict(os.environ, given, clear=True):
        settings = settings_for(data)

    assert settings.database.url == HERE["DATABASE_URL"]
    assert settings.seal.key.get_secret_value() == HERE["SEAL_KEY"]


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"DATABASE_URL": "postgresql://engine_app@elsewhere/engine"}, "TEMPORAL_ADDRESS"),
        ({"TEMPORAL_ADDRESS": "elsewhere:7233"}, "DATABASE_URL"),
    ],
)
def test_one_for_another_place_takes_nothing_from_it(
    data: Path, given: dict[str, str], missing: str
) -> None:
    """Otherwise it would use that database with this stack's keys and Temporal."""
    with (
        patch.dict(os.environ, given, clear=True),
        pytest.raises(InvalidInput, match=f"{missing} is not set"),
    ):
        settings_for(data)
