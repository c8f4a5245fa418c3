"""The model file is made from the committed examples, and can be made again."""

from pathlib import Path

import numpy as np

from adapters.brain.artifact import MODEL_PATH
from adapters.brain.classifier import Classifier
from adapters.brain.safety_net import LearnedSafetyNet
from domain.agent.safety.sensitive import SensitiveMatter
from training.examples import EVERYBODY, EXAMPLES_PATH, digest_of, read_examples, read_messages
from training.model import train


def test_the_committed_model_is_of_the_committed_examples() -> None:
    """Training on all of them takes minutes: `python -m training` after each change."""
    with np.load(MODEL_PATH, allow_pickle=False) as model:
        assert str(model["examples"]) == digest_of(read_examples(EXAMPLES_PATH), read_messages())


def test_the_same_examples_make_the_same_file(tmp_path: Path) -> None:
    examples = read_examples(EXAMPLES_PATH)[::20]
    messages = read_messages()
    written = [message for message in messages if message.writer in {"A", "J", "K"}]
    ordinary = [message for message in messages if message.writer == EVERYBODY]
    some = [*written, *ordinary[::40]]

    report = train(examples, some, tmp_path / "one.npz")
    train(examples, some, tmp_path / "two.npz")

    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert report.classes.examples == len(examples)
    assert min(report.classes.accuracy.values()) >= 0.5  # a twentieth of what there is to learn
    assert set(report.safety.recall) == {"A", "J", "K"}
    assert report.safety.ordinary <= 0.02
    assert Classifier.load(tmp_path / "one.npz").classify("Where is my order?").language == "en"
    net = LearnedSafetyNet.load(tmp_path / "one.npz")
    assert net.matter("Je veux mourir") is SensitiveMatter.SELF_HARM
