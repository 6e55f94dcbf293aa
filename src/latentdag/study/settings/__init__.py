"""The settings of a study: their schema, defaults, and checks before any work."""
