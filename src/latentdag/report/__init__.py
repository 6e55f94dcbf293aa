"""Summaries in Markdown. `summary` composes a study's from the sections in `study`, `data_summary`
that of one's own data from those in `data`: one file per section, named after its title.

Nothing is computed here: each section names the statistic of `latentdag.study` that it shows.
"""
