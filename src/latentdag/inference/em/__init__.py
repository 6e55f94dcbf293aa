"""Point estimates and variational distributions: EM, variational Bayesian EM, their optimiser."""
