"""Who thinks: a language model while the client's month has money left, else the embedded brain."""

from dataclasses import dataclass

from domain.agent.brain import Brain


@dataclass(frozen=True, slots=True)
class Brains:
    """`model` is None where none is configured, and then nothing is reserved or spent.
    `sees_images`: of the model, or of the one asked in its place.

    Before the model is asked, `reserve_micros` is set aside (`store/runs/brain_costs.py`): what a
    question costs at most, as a rule. It is given back when the true cost is booked, so that many
    runs at once do not spend more than there is. In millionths of a US dollar.
    """

    embedded: Brain
    model: Brain | None = None
    reserve_micros: int = 0
    budget_micros: int = 0
    sees_images: bool = False

    def budget(self, of_client: int | None) -> int:
        """What a client may spend in a month: its own budget, or the configured one."""
        return self.budget_micros if of_client is None else of_client
