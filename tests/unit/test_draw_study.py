"""The data sets of a study: every draw has parameters and cases of its own, nested by size."""

import numpy as np

from latentdag import Structure, draw_parameters, draw_study, simulate
from latentdag.engine.streams import generator
from latentdag.model.parameters import Prior

TRUE = Structure.from_label("1-12-12-2")


def test_streams_are_those_that_the_study_names():
    """Parameters and cases each from a stream of their own, keyed by the draw: no other key would
    give the published data.
    """
    prior = Prior(0.7, 2.0)
    for seed, draw, n in ((2003, 0, 50), (2003, 1, 10), (7, 2, 50)):
        found = draw_study(TRUE, prior, n, seed, draw)
        parameters = draw_parameters(TRUE, prior, generator(seed, "parameters", draw))
        for one, other in zip(
            (*found.parameters.hidden, *found.parameters.observed),
            (*parameters.hidden, *parameters.observed),
            strict=True,
        ):
            assert np.array_equal(one, other)
        cases, states = simulate(TRUE, parameters, 50, generator(seed, "cases", draw))
        assert np.array_equal(found.cases, cases[:n])  # nested by size
        assert np.array_equal(found.states, states[:n])
