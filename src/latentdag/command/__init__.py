"""The command ``latentdag``: options, choice of a method, progress, and output."""
