"""The door: everything that a caller can do. HTTP, adapters and the command line all enter here.

One module for each part of it, as in ``client/``, where the same calls go over HTTP.
"""

from recollect.door.agents import Agents
from recollect.door.cache import Cache
from recollect.door.care import Care
from recollect.door.conversations import Conversations
from recollect.door.documents import Documents
from recollect.door.keys import Keys
from recollect.door.live import Live
from recollect.door.memories import Memories
from recollect.door.notes import NotesOfUsers
from recollect.door.tenants import Tenants
from recollect.door.users import Users


class Door(Conversations, Live, Memories, NotesOfUsers, Documents, Agents, Users, Care, Keys, Tenants, Cache):
    """The memory of one tenant's agents."""
