"""LangGraph's store over Recollect: items are documents, versioned and searchable. Runs offline."""

import tempfile

from recollect.adapters.langgraph import RecollectStore
from recollect.sync import Recollect

with tempfile.TemporaryDirectory() as folder, Recollect.open(data_dir=folder) as memory:
    # The second name of a namespace is a user: what is there is erased with that user.
    store = RecollectStore(memory, user_at=1)
    store.put(("memories", "ana"), "food", {"text": "She enjoys Italian food", "sure": 0.9})
    store.put(("memories", "ana"), "home", {"text": "She lives by the river in Porto", "sure": 0.5})
    best = store.search(("memories", "ana"), query="pasta from Italy", limit=1)
    print([(item.key, item.value["text"]) for item in best])
    print([item.key for item in store.search(("memories",), filter={"sure": {"$lt": 0.8}})])
    print(store.list_namespaces(max_depth=1))
    print(memory.erase(user="ana").counts["documents"], "documents erased")
    print(store.get(("memories", "ana"), "food"))
