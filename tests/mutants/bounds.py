"""Mistakes in the scores that vary VB's bound, and in WBIC."""

from mutant import Mutant

ONLINE = "tests/unit/scores/test_vb_online.py"
EMPIRICAL = "tests/unit/scores/test_vb_eb.py"
WATCHED = "tests/unit/scores/test_wbic.py"
FITS = "src/latentdag/fits/lanes/empirical_bayes.py"
VB_ONLINE = "src/latentdag/scores/vb_online.py"

BOUNDS = (
    Mutant(
        "vb_eb: alpha for alpha_hidden",
        FITS,
        "np.arange(n_variables) >= n_observed",
        "np.arange(n_variables) > n_observed",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: a row's strength is that of one value",
        FITS,
        "of_slot, of_row = anchor(alpha), anchor(total_alpha)",
        "of_slot, of_row = anchor(alpha), anchor(alpha)",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: the objective is that of the next prior",
        FITS,
        "load(problem.value, 0) + load(problem.value, 1)",
        "load(problem.value_ahead, 0) + load(problem.value_ahead, 1)",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: the prior never moves",
        FITS,
        "within_limits(load(problem.prior, i) + load(problem.step, i))",
        "within_limits(load(problem.prior, i))",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: no limits",
        FITS,
        "LOWEST, HIGHEST = np.log([MIN_ALPHA, MAX_ALPHA])",
        "LOWEST, HIGHEST = np.log([MIN_ALPHA / 100, MAX_ALPHA])",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: no start where all cases are in one state",
        "src/latentdag/fits/empirical_bayes.py",
        "of_states[:, 0] = kernel.counts.sum()",
        "of_states[:] = kernel.counts.sum() / kernel.n_states",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_online: every batch with the first prior",
        VB_ONLINE,
        "self._u, self._log_weights = u, log_weights",
        "self._log_weights = log_weights",
        (ONLINE,),
    ),
    Mutant(
        "vb_online: the last cases left out",
        VB_ONLINE,
        "range(0, task.n, size)",
        "range(0, max(1, task.n - size + 1), size)",
        (ONLINE,),
    ),
    Mutant(
        "vb_online: every batch begins at its predecessor's prior",
        VB_ONLINE,
        "log_weights[own] = expected_log(batch, u[own], sums)",
        "log_weights[own] = expected_log(batch, self._u[own], sums)",
        (ONLINE,),
    ),
    Mutant(
        "vb_online: the last pass for the best",
        VB_ONLINE,
        "best = int(np.argmax(passes.objective))",
        "best = len(passes.objective) - 1",
        (ONLINE,),
    ),
    Mutant(
        "wbic: the mean before the step, not after it",
        "src/latentdag/sampling/walk.py",
        "        moved = update(target, walk, temperature)\n"
        "        store(accepted, part[b], load(accepted, part[b]) + moved)\n"
        "        store(watched, 0, fma(load(walk.log_likelihood, 0), load(near, b), "
        "load(watched, 0)))\n",
        "        store(watched, 0, fma(load(walk.log_likelihood, 0), load(near, b), "
        "load(watched, 0)))\n"
        "        moved = update(target, walk, temperature)\n"
        "        store(accepted, part[b], load(accepted, part[b]) + moved)\n",
        (WATCHED,),
    ),
    Mutant(
        "wbic: at the temperature ln n / n",
        "src/latentdag/scores/ais.py",
        "return 1 / log(n) if n >= 3 else None",
        "return log(n) / n if n >= 3 else None",
        (WATCHED,),
    ),
    Mutant(
        "wbic: the standard deviation for the error",
        "src/latentdag/scores/wbic.py",
        "np.std(values, ddof=1) / sqrt(n_chains)",
        "np.std(values, ddof=1)",
        (WATCHED,),
    ),
)
