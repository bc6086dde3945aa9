"""The same names over HTTP: ``from recollect.client import Recollect``, and the address of a server."""

from recollect.client.handle import Chat
from recollect.client.opening import Recollect

__all__ = ["Chat", "Recollect"]
