"""Claude's memory tool over Recollect: its files are versioned documents. Runs offline."""

import tempfile

from anthropic.lib.tools import ToolError

from recollect.adapters.anthropic_memory import RecollectMemoryTool
from recollect.sync import Recollect

with tempfile.TemporaryDirectory() as folder, Recollect.open(data_dir=folder) as memory:
    # Give the tool to client.beta.messages.tool_runner(tools=[tool], …); here its calls are made by hand.
    tool = RecollectMemoryTool(memory, user="ana", agent="helpdesk")
    text = "Lives in Porto\nLikes tea\n"
    print(tool.call({"command": "create", "path": "/memories/ana.md", "file_text": text}))
    edit = {"command": "str_replace", "path": "/memories/ana.md", "old_str": "tea", "new_str": "coffee"}
    print(tool.call(edit))
    print(tool.call({"command": "view", "path": "/memories"}))
    try:
        tool.call({"command": "view", "path": "/memories/../secrets"})
    except ToolError as error:
        print(error)
    history = memory.document_history(("anthropic-memory", "ana", "helpdesk"), "ana.md")
    print([version.value["text"].splitlines()[1] for version in history])
