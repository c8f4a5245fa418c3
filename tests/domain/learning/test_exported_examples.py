"""Labelled examples of an export, parsed by the trainer."""

import json
from pathlib import Path

from domain.agent.brain import Category
from domain.exports.export import Section
from training.labelled import labelled_examples
from training.train import Example

CLIENT = "01J9ZQ4Z8N3V5X7B2C4D6E8F0G"


def test_the_mood_is_that_of_the_run(tmp_path: Path) -> None:
    kept = {"text": "Scandaleux !", "language": "fr", "classification": "complaint"}
    document = {
        "exported_at": "2026-01-01T00:00:00.000Z",
        "client_id": CLIENT,
        **{section.value: [] for section in Section},
        "engine_runs": [{"id": "a", "sentiment": -0.9}, {"id": "b", "sentiment": None}],
        "labelled_examples": [{**kept, "run_id": run} for run in ("a", "b", "gone", None)],
    }
    file = tmp_path / "export.json"
    file.write_text(json.dumps(document))

    found = list(labelled_examples(file))

    assert found == [Example("fr", Category.COMPLAINT, "negative", "Scandaleux !")]
