"""The prior and the posterior over structures, a search where they are many, and which score to
trust.
"""
