"""The offline responder: answers from memory and leads through a workflow by rules, in English and Spanish."""
