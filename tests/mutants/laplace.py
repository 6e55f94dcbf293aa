"""Mistakes in the information that hidden states take away, the copies of a mode, and the scores
that rest on them.
"""

from mutant import Mutant

INFORMATION = "tests/unit/test_information.py"
COPIES = ("tests/unit/test_copies.py",)
VALUE = ("tests/unit/scores/test_laplace.py::test_value",)
CLOSED_FORM = (
    "tests/unit/scores/test_laplace.py::test_without_hidden_causes_it_is_that_of_the_closed_form",
)
BOUNDARY = (
    "tests/unit/scores/test_laplace.py::test_parameters_that_less_than_one_expected_count_supports",
)
RESPONSE = ("tests/unit/scores/test_linear_response.py::test_value",)
HESSIAN = (f"{INFORMATION}::test_the_hessian_is_that_of_second_differences",)
JACOBIAN = (f"{INFORMATION}::test_jacobian_of_the_algorithms_in_code",)
MOMENTS = (f"{INFORMATION}::test_mean_and_covariance_of_the_indicators",)

LAPLACE = (
    Mutant(
        "information: second moments for the covariance",
        "src/latentdag/fits/information.py",
        "covariance -= weighted.T @ mean",
        "covariance -= 0 * (weighted.T @ mean)",
        MOMENTS,
    ),
    Mutant(
        "information: every cell counts once",
        "src/latentdag/fits/information.py",
        "zip(picks, responsibilities * counts, strict=True)",
        "zip(picks, responsibilities, strict=True)",
        MOMENTS,
    ),
    Mutant(
        "information: the last piece of cells alone",
        "src/latentdag/fits/information.py",
        "expected += weighted.sum(axis=0)",
        "expected = weighted.sum(axis=0)",
        (f"{INFORMATION}::test_in_pieces_it_is_the_same",),
    ),
    Mutant(
        "information: no logit fixed",
        "src/latentdag/fits/information.py",
        "float(ratio.sum() - np.log(totals).sum())",
        "float(ratio.sum())",
        HESSIAN,
    ),
    Mutant(
        "information: the prior left out of it",
        "src/latentdag/fits/information.py",
        "totals = statistics.row_sums(statistics.alpha + statistics.expected)",
        "totals = statistics.row_sums(statistics.expected)",
        HESSIAN,
    ),
    Mutant(
        "information: VBEM without the sum of a row",
        "src/latentdag/fits/information.py",
        "trigamma(u), trigamma(statistics.row_sums(u))",
        "trigamma(u), 0 * statistics.row_sums(u) + 1e-300",
        JACOBIAN,
    ),
    Mutant(
        "information: VBEM as if counts were many",
        "src/latentdag/fits/information.py",
        "trigamma(u), trigamma(statistics.row_sums(u))",
        "1 / u, 1 / statistics.row_sums(u)",
        JACOBIAN,
    ),
    Mutant(
        "copies: no exchange of hidden variables",
        "src/latentdag/fits/copies.py",
        "prod(factorial(number) for number in Counter(self.kinds).values())",
        "1",
        COPIES,
    ),
    Mutant(
        "copies: hidden variables with other children exchanged",
        "src/latentdag/fits/copies.py",
        "list(zip(self.hidden, children, strict=True))",
        "list(self.hidden)",
        COPIES,
    ),
    Mutant(
        "copies: one place tells that a relabelling exists",
        "src/latentdag/fits/copies.py",
        "return self._maps_onto_itself(images)",
        "return True",
        COPIES,
    ),
    Mutant(
        "copies: a mode that is its own image counts as many",
        "src/latentdag/fits/copies.py",
        "return log(mode.relabellings()) - log(mode.symmetries())",
        "return log(mode.relabellings())",
        COPIES,
    ),
    Mutant(
        "laplace: parameters for logits",
        "src/latentdag/fits/information.py",
        "return len(self.expected) - len(self.first)",
        "return len(self.expected)",
        (*CLOSED_FORM, *VALUE),
    ),
    Mutant(
        "laplace: without the prior density",
        "src/latentdag/scores/laplace.py",
        "score=fit.score + fit.log_prior,",
        "score=fit.score,",
        VALUE,
    ),
    Mutant(
        "laplace: without the copies",
        "src/latentdag/scores/modes.py",
        "value = score.score + added + copies",
        "value = score.score + added",
        (*VALUE, *RESPONSE),
    ),
    Mutant(
        "cs_lr: by the complete data's information",
        "src/latentdag/scores/cs_lr.py",
        "em_log_determinants(statistics)[1]",
        "em_log_determinants(statistics)[0]",
        RESPONSE,
    ),
    Mutant(
        "vb_lr: twice the term",
        "src/latentdag/scores/vb_lr.py",
        "-vbem_log_determinant(statistics) / 2",
        "-vbem_log_determinant(statistics)",
        RESPONSE,
    ),
    Mutant(
        "map: parameters near a boundary by slots",
        "src/latentdag/scores/map.py",
        "few = batch.total((counts < 1 - ROUNDING).astype(float))",
        "few = (counts < 1 - ROUNDING).sum(axis=(1, 2))",
        BOUNDARY,
    ),
)
