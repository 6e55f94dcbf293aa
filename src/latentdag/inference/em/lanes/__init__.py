"""The compiled side of fits. Importing any of these files imports numba, which takes a second."""
