"""Summaries in Markdown: `summary` of a study, `data_summary` of one's own data,
`population_summary` of many draws, and `findings` of them all; `article` has the numbers of the
article.

The words are in ``templates``, one for each summary. Above the title of a section its template
names the statistics of `latentdag.study` or the tables that it shows. It shows them as they are, or
calls the view that picks the numbers, a function of the summary's module, which gives None where
the section has nothing to show; no statistic is computed here. `markdown` has the templates'
filters.
"""
