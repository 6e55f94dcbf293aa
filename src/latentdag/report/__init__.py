"""Summaries in Markdown, composed of sections: `summary` that of a study from those in `study`,
`data_summary` that of one's own data from those in `data`, and `population_summary` that of many
draws from those in `population`. One file per section, named after its title.

No statistic is computed here: each section names those of `latentdag.study` that it words.
`markdown` has the tables and numbers that sections share.
"""
