"""The level of significance, and the numbers of standard errors, of every test and verdict."""

LEVEL = 0.05  # p-values below it are significant, and intervals hold the rest
FAR = 3.0  # standard errors by which an estimate is not off by accident
CLAIMED = 2.0  # standard errors at which a run decides a claim of the paper
REPRODUCED = 5.0  # standard errors of the difference from a published estimate, at most
