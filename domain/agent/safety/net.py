from collections.abc import Sequence
from domain.agent.safety.sensitive import SensitiveMatter


def sensitive_matter(text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
    return None
