"""Read the labelled examples in a client's export as training examples for the classifier."""

import json
from collections.abc import Iterator
from pathlib import Path

from domain.agent.brain import Category
from domain.exports.export import Section
from domain.exports.reader import RawRecord, read_export
from training.train import Example, mood


def labelled_examples(export: Path) -> Iterator[Example]:
    """Yield the labelled examples in a JSON export. Raises InvalidExport.

    Members do not label sentiment, so it comes from the example's run. Without the run, the example
    is omitted.
    """
    moods: dict[str, float] = {}
    with export.open("rb") as stream:
        for found in read_export(stream):
            if not isinstance(found, RawRecord):
                continue
            if found.section is Section.ENGINE_RUNS:
                run = json.loads(found.text)
                if run["sentiment"] is not None:
                    moods[run["id"]] = run["sentiment"]
            elif found.section is Section.LABELLED_EXAMPLES:
                example = json.loads(found.text)
                if example["run_id"] in moods:
                    yield Example(
                        example["language"],
                        Category(example["classification"]),
                        mood(moods[example["run_id"]]),
                        example["text"],
                    )
