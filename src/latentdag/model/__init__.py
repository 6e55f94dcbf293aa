"""Families and structures of networks, their parameters and prior, and their dimension."""
