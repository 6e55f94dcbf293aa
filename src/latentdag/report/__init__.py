"""Summaries in Markdown: `summary` of a study, `data_summary` of one's own data,
`population_summary` of many draws, and `findings` of them all; `article` has the numbers of the
article.

The words are in ``templates``, one for each summary. Above the title of a section its template
names the statistics of `latentdag.study` that it shows, and calls the view that picks the numbers;
no statistic is computed here. `markdown` has the filters of the templates.
"""
