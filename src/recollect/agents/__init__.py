"""Agents and how they are set up."""
