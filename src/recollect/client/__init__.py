"""The same names over HTTP: ``from recollect.client import Recollect``, and the address of a server."""

from recollect.errors import Unavailable, to_install

try:
    from recollect.client.handle import Chat
    from recollect.client.opening import Recollect
except ModuleNotFoundError as error:
    if error.name != "httpx":
        raise
    raise Unavailable("client", f"httpx is not installed; {to_install('client')}") from None

__all__ = ["Chat", "Recollect"]
