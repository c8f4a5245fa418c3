"""The embedded brain with the client's own classifier head."""

from adapters.brain.answers import AnswerModels
from adapters.brain.artifact import ModelInvalid
from adapters.brain.catalogue import Catalogues
from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.agent.own_head import OwnHead


class TaughtBrain:
    """The embedded brain with the client's own classifier head, taken from the request. A head that
    does not match the classifier is ignored."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._answers = AnswerModels()
        self._catalogues = Catalogues()
        self._plain = EmbeddedBrain(classifier, self._answers, self._catalogues)

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Return the answer to the request. Never raises, regardless of the text and the classifier
        head."""
        return await self._with(request.own_head).think(request)

    def _with(self, head: OwnHead | None) -> EmbeddedBrain:
        if head is None:
            return self._plain
        try:
            taught = self._classifier.taught(head)
        except ModelInvalid:
            return self._plain
        return EmbeddedBrain(taught, self._answers, self._catalogues)
