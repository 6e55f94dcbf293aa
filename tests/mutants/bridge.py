"""Mistakes in the bridge, and in holding it against the reference."""

from mutant import Mutant

LOOPS = "src/latentdag/sampling/bridge/loops.py"
MODEL = "src/latentdag/sampling/bridge/model.py"
EVIDENCE = "src/latentdag/sampling/bridge/evidence.py"
START = "src/latentdag/sampling/bridge/start.py"
UNIT = "tests/unit/test_bridge.py"
MODES = (f"{UNIT}::test_a_mode_that_the_start_does_not_know_is_not_passed_over",)
GRADIENT = (f"{UNIT}::test_the_density_and_its_gradient",)
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
        "share = load(work.shares, k) * (1.0 - tau)",
        "share = load(work.shares, k) * 1.0",
        GRADIENT,
    ),
    Mutant(
        "bridge: kinetic energy left out of the ratio",
        LOOPS,
        "return energy - kinetic(bridge, momentum) - before, fit, start",
        "return energy - before, fit, start",
        GRADIENT,
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
        "src/latentdag/study/two_methods.py",
        'pairs[(pairs["z"].abs() <= FAR) & (',
        "pairs[(",
        TWO,
    ),
)
