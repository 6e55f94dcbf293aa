"""The companion study: how many topics has a corpus, by the same scores of latent Dirichlet
allocation? Its model, settings, tables, rules and page are in this folder alone.
"""
