"""Mistakes in the bridge, and in holding it against the reference."""

from mutant import Mutant

LOOPS = "src/latentdag/sampling/bridge/loops.py"
GRADIENT_COUNTS = "src/latentdag/kernel/gradient.py"
MODEL = "src/latentdag/sampling/bridge/model.py"
EVIDENCE = "src/latentdag/sampling/bridge/evidence.py"
START = "src/latentdag/sampling/bridge/start.py"
UNIT = "tests/unit/test_bridge.py"
MODES = (f"{UNIT}::test_a_mode_that_the_start_does_not_know_is_not_passed_over",)
GRADIENT = (f"{UNIT}::test_the_density_and_its_gradient",)
TWO_METHODS = "src/latentdag/study/two_methods.py"
TWO = ("tests/unit/study/test_two_methods.py",)

OF_BRIDGE = (
    Mutant(
        "bridge: a kick by half a step between whole ones",
        LOOPS,
        "kick(momentum, step if i < n_steps - 1 else 0.5 * step, work)",
        "kick(momentum, 0.5 * step, work)",
        (f"{UNIT}::test_trajectories_keep_the_energy",),
    ),
    Mutant(
        "bridge: the pull of the start at every temperature",
        LOOPS,
        "pull = fma(pull, 1.0 - tau, fma(",
        "pull = fma(pull, 1.0, fma(",
        GRADIENT,
    ),
    Mutant(
        "bridge: kinetic energy left out of the ratio",
        LOOPS,
        "after = energy(target, bridge, work, fit, start) - kinetic(bridge, momentum)",
        "after = energy(target, bridge, work, fit, start)",
        GRADIENT,
    ),
    Mutant(
        "bridge: a component's smallest shares stay",
        LOOPS,
        "where(share < SMALLEST_SHARE, 0.0, share)",
        "share",
        (f"{UNIT}::test_components_far_from_theta_have_no_share",),
    ),
    Mutant(
        "bridge: counts in the order of the groups, cells by their left halves",
        GRADIENT_COUNTS,
        "np.ascontiguousarray(right[order]), counts[order])",
        "np.ascontiguousarray(right[order]), counts)",
        (f"{UNIT}::test_the_gradients_counts_are_those_of_the_e_step",),
    ),
    Mutant(
        "bridge: what the start does not cover is passed over",
        EVIDENCE,
        "return float(np.logaddexp(inside, outside))",
        "return float(inside)",
        MODES,
    ),
    Mutant(
        "bridge: what the start covers counts twice",
        EVIDENCE,
        "np.where(over > plan.covered, from_prior.log_weight, -np.inf)",
        "from_prior.log_weight",
        MODES,
    ),
    Mutant(
        "bridge: the number of components left out of the start's density",
        START,
        ".sum(axis=1) - log_ratio - np.log(len(counts))",
        ".sum(axis=1) - log_ratio",
        (f"{UNIT}::test_the_start_is_a_mixture_of_dirichlets_as_a_ratio_to_the_prior",),
    ),
    Mutant(
        "bridge: hidden variables exchanged whatever their children",
        MODEL,
        "kinds = [(k, [i in p for p in parents]) for i, k in enumerate(hidden)]",
        "kinds = [(k, len(parents)) for i, k in enumerate(hidden)]",
        (f"{UNIT}::test_relabellings_leave_the_model_as_it_is",),
    ),
    Mutant(
        "two methods: the bridge's number where they disagree",
        TWO_METHODS,
        "return pairs[agree & better",
        "return pairs[better",
        TWO,
    ),
    Mutant(
        "two methods: an error from few runs is trusted",
        TWO_METHODS,
        "& enough & (",
        "& (",
        TWO,
    ),
    Mutant(
        "two methods: runs that spread widely are trusted",
        TWO_METHODS,
        "(spread <= SPREAD)]",
        "(spread > 0)]",
        TWO,
    ),
    Mutant(
        "two methods: the bridge stays among the scores",
        TWO_METHODS,
        'best = scores[scores["method"] != "bridge"].copy()',
        "best = scores.copy()",
        TWO,
    ),
    Mutant(
        "two methods: errors by the reference alone",
        "src/latentdag/study/errors.py",
        "    scores = best_evidence(scores)\n",
        "",
        TWO,
    ),
    Mutant(
        "two methods: ranks by the reference alone",
        "src/latentdag/study/ranks.py",
        "in_order(best_evidence(scores))",
        "in_order(scores)",
        TWO,
    ),
    Mutant(
        "two methods: verdicts by the reference alone",
        "src/latentdag/study/one_draw.py",
        "    scores = best_evidence(scores)\n",
        "",
        TWO,
    ),
    Mutant(
        "bridge: the densest structures from the next size on",
        "src/latentdag/scores/bridge.py",
        "if n >= MANY else",
        "if n > MANY else",
        (f"{UNIT}::test_which_structures_a_study_takes",),
    ),
    Mutant(
        "bridge: of the evenly spaced structures each is the next",
        "src/latentdag/scores/bridge.py",
        "* k // SPREAD - 1]",
        "* k // SPREAD % len(linked)]",
        (f"{UNIT}::test_which_structures_a_study_takes",),
    ),
)
