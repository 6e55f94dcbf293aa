"""Mistakes in the effective dimension, in the scores that use it, and in the columns that show
it.
"""

from mutant import Mutant

RANKS = "tests/unit/test_dimension.py"
SCORES = "tests/unit/scores/test_by_dimension.py"
CODE = "src/latentdag/dimension.py"
CORRECTED = "src/latentdag/scores/by_dimension.py"
TABLES = (f"{RANKS}::test_a_table_of_two_children_of_a_binary_cause",)
VALUES = (f"{SCORES}::test_values",)
COMMAND = ("tests/unit/test_cli.py::test_a_row_tells_the_class_and_the_dimension",)
SCRIPT = ("tests/workflow/test_scripts.py::test_structures",)

DIMENSION = (
    Mutant(
        "dimension: the smaller of two ranks",
        CODE,
        "return max(_dimension_modulo",
        "return min(_dimension_modulo",
        (f"{RANKS}::test_a_rank_that_is_too_low_once_does_not_count",),
    ),
    Mutant(
        "dimension: sums to one forgotten for hidden variables",
        CODE,
        "s[:, :-1] - s[:, -1:] for s",
        "s for s",
        TABLES,
    ),
    Mutant(
        "dimension: a hidden variable's last probability left free",
        CODE,
        "s[:, :-1] - s[:, -1:] for s",
        "s[:, :-1] for s",
        (f"{RANKS}::test_latent_class_models_of_binary_items",),
    ),
    Mutant(
        "dimension: as many values too many as classes, not as dimensions",
        CODE,
        "(k - r) * _rank(s, prime)",
        "(k - r) * r",
        (f"{RANKS}::test_a_table_of_two_children_of_any_cause",),
    ),
    Mutant(
        "dimension: values beyond the configurations left out",
        CODE,
        "_rank(np.hstack(columns), prime) + added",
        "_rank(np.hstack(columns), prime)",
        TABLES,
    ),
    Mutant(
        "dimension: too few combinations",
        CODE,
        "n_combinations = n_parameters + 1",
        "n_combinations = max(1, n_parameters - 1)",
        (f"{RANKS}::test_structures_of_the_paper",),
    ),
    Mutant(
        "dimension: the parents' configurations mixed up",
        CODE,
        "row = row * hidden[i] + states[i]",
        "row = row + states[i]",
        (f"{RANKS}::test_structures_of_the_paper",),
    ),
    Mutant(
        "dimension: products with the factor itself",
        CODE,
        "before.append(before[-1] * factor % prime)",
        "before.append(before[-1] * factors[0] % prime)",
        (f"{RANKS}::test_all_136_against_singular_values",),
    ),
    Mutant(
        "rank: without the pivot's inverse",
        CODE,
        "left[pivot] * pow(int(first[pivot]), -1, prime) % prime",
        "left[pivot] % prime",
        (f"{RANKS}::test_rank_modulo_a_prime",),
    ),
    Mutant(
        "bic_dim, cs_dim: twice the penalty",
        CORRECTED,
        "missing / 2 * log(n)",
        "missing * log(n)",
        VALUES,
    ),
    Mutant(
        "bic_dim: childless hidden variables not counted in what is taken out",
        CORRECTED,
        "_exchanged(score, score.n_parameters, task.n)",
        "_exchanged(score, score.structure.without_childless().n_parameters, task.n)",
        VALUES,
    ),
    Mutant(
        "cs_dim: childless hidden variables counted",
        CORRECTED,
        "_exchanged(score, score.structure.without_childless().n_parameters, task.n)",
        "_exchanged(score, score.n_parameters, task.n)",
        (f"{SCORES}::test_without_links_cs_dim_is_the_evidence",),
    ),
    Mutant(
        "degrees of freedom: by parameters",
        "src/latentdag/goodness.py",
        "- 1 - self.dimension",
        "- 1 - self.structure.n_parameters",
        ("tests/unit/test_goodness.py",),
    ),
    Mutant(
        "command: parameters for dimensions",
        "src/latentdag/cli.py",
        '"dimension": effective_dimension(own.structure)',
        '"dimension": own.n_parameters',
        COMMAND,
    ),
    Mutant(
        "command: the structure for its class",
        "src/latentdag/cli.py",
        '"class": own.structure.absorbed().label',
        '"class": own.structure.canonical().label',
        COMMAND,
    ),
    Mutant(
        "structures: parameters for dimensions",
        "workflow/scripts/structures.py",
        '"dimension": effective_dimension(s)',
        '"dimension": s.n_parameters',
        SCRIPT,
    ),
    Mutant(
        "structures: the structure for its class",
        "workflow/scripts/structures.py",
        '"class": s.absorbed().label',
        '"class": s.label',
        SCRIPT,
    ),
)
