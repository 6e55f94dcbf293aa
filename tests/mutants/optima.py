"""Mistakes in where VBEM starts and when it stops starting."""

from mutant import Mutant

FORMULAS = "tests/unit/scores/test_formulas.py"
LAW = (f"{FORMULAS}::test_sparse_starts_leave_hidden_states_with_next_to_no_cases",)

OPTIMA = (
    Mutant(
        "vb: starts from the prior alone",
        "src/latentdag/scores/vb.py",
        ", sparse=True)",
        ")",
        (f"{FORMULAS}::test_vb_is_no_worse_than_with_a_hidden_variable_shut_off",),
    ),
    Mutant(
        "vb: as few hits as ml",
        "src/latentdag/scores/vb.py",
        "hits=16",
        "hits=4",
        (f"{FORMULAS}::test_library_command_and_study_share_one_rule_of_restarts",),
    ),
    Mutant(
        "starts: less sparse",
        "src/latentdag/scores/base.py",
        "SPARSE = 0.2",
        "SPARSE = 0.3",
        LAW,
    ),
    Mutant(
        "starts: a sparse prior made denser",
        "src/latentdag/scores/base.py",
        "min(prior.alpha_hidden, SPARSE)",
        "SPARSE",
        LAW,
    ),
    Mutant(
        "starts: the tables sparse too",
        "src/latentdag/scores/base.py",
        "replace(prior, alpha_hidden=min(prior.alpha_hidden, SPARSE))",
        "replace(prior, alpha=SPARSE, alpha_hidden=min(prior.alpha_hidden, SPARSE))",
        LAW,
    ),
    Mutant(
        "starts: sparse whether asked or not",
        "src/latentdag/scores/base.py",
        "        if sparse:\n",
        "        if True:\n",
        LAW,
    ),
)
