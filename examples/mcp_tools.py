"""Memory as tools of the Model Context Protocol: a host starts ``recollect mcp`` and calls them. Runs offline."""

import asyncio
import os
import sys
import tempfile

from mcp import Client, StdioServerParameters


async def main() -> None:
    """What a host like Claude or Cursor does, by the official client."""
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "recollect", "mcp", "--user", "ana", "--agent", "cook", "--data-dir", folder],
            env=dict(os.environ),
        )
        async with Client(server) as client:
            print(sorted(tool.name for tool in (await client.list_tools()).tools))
            await client.call_tool("add_memory", {"text": "user is allergic to peanuts"})
            found = await client.call_tool("search_memories", {"query": "is she allergic to peanuts?"})
            print([one["text"] for one in found.structured_content["found"]])
            refused = await client.call_tool("delete_all_memories", {})
            print(refused.is_error, refused.content[0].text)


asyncio.run(main())
