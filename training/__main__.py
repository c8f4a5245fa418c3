"""python -m training [output]: train the embedded model from the committed examples.

The default output is the model file of the service. docs/training.md says how to add an example
and how to compare two models.
"""

import argparse
import sys
from pathlib import Path

from adapters.brain.artifact import MODEL_PATH
from training.examples import EXAMPLES_PATH, read_examples, read_messages
from training.model import train


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m training")
    options.add_argument("output", nargs="?", type=Path, default=MODEL_PATH)
    report = train(read_examples(EXAMPLES_PATH), read_messages(), options.parse_args().output)
    sys.stdout.write("\n".join([*report.classes.lines, *report.safety.lines]) + "\n")


if __name__ == "__main__":
    main()
