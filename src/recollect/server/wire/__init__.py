"""What goes over the wire, in the words of known clients: camelCase, a memory's text as ``keyPoint``.

One file for each resource, as in ``routes``. Each view is made from a record of the same fields; ``shown``
does it.
"""
