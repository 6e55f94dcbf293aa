"""Drawing: how scores look, what is placed where on a page, and pictures of a ranking and of a fit.

`style` has the looks of the scores and saves figures, `layout` places what is on a page, `graph`
draws a structure; `best_structures`, `profiles` and `shared_causes` are pictures of a table of
one's own, which the estimator and the figures of a study share.
"""
