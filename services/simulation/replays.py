"""What people do with replays: start one, and stop it."""

from domain.simulation.replay import Replay, ReplayAsked
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork


async def start_replay(
    work: UnitOfWork, actor: Actor, asked: ReplayAsked, *, remote_brain: bool
) -> Replay:
    """Have past events thought through again by a worker, after the commit.

    `remote_brain`: whether a language model may think. Raises RoleRequired, ReplayUnderWay,
    PlaybookNotFound, VersionNotFound, and InvalidInput for a time of no length or a
    variant of content.
    """
    actor.require(MANAGERS)
    raise NotImplementedError


async def stop_replay(work: UnitOfWork, actor: Actor, replay_id: str) -> Replay:
    """Have a replay end after its page; one that is over stays as it is. Raises RoleRequired,
    ReplayNotFound."""
    actor.require(MANAGERS)
    raise NotImplementedError
