"""A loopback Discord for end-to-end tests: an unmodified bot process talks HTTP and websocket to it. See README.md."""

from .commands import NotOffered
from .errors import ApiError
from .gateway import NotConnected
from .interactions import Interaction, NotAnswered
from .limits import Json, walk
from .process import BotEnded, BotProcess
from .record import Exchange, Record
from .standin import StandIn
from .state import Channel, Guild, Permission, Role, User

__all__ = [
    "ApiError",
    "BotEnded",
    "BotProcess",
    "Channel",
    "Exchange",
    "Guild",
    "Interaction",
    "Json",
    "NotAnswered",
    "NotConnected",
    "NotOffered",
    "Permission",
    "Record",
    "Role",
    "StandIn",
    "User",
    "walk",
]
