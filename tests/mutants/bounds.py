"""Mistakes in the scores that vary VB's bound, and in WBIC."""

from mutant import Mutant

ONLINE = "tests/unit/scores/test_vb_online.py"
EMPIRICAL = "tests/unit/scores/test_vb_eb.py"
WATCHED = "tests/unit/scores/test_wbic.py"
SPECIAL = "tests/unit/test_special.py"
FITS = "src/latentdag/fits/empirical_bayes.py"
VB_ONLINE = "src/latentdag/scores/vb_online.py"

BOUNDS = (
    Mutant(
        "vb_eb: alpha for alpha_hidden",
        FITS,
        "self.of_column = (kernel.variable >= n_observed).astype(int)",
        "self.of_column = (kernel.variable > n_observed).astype(int)",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: a row's strength is that of one value",
        FITS,
        "of_row = self._row_values * alpha[",
        "of_row = 1 * alpha[",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: the objective is that of the next prior",
        FITS,
        "value, log_alpha, curvature = given.uphill(log_alpha)",
        "_, log_alpha, curvature = given.uphill(log_alpha)\n        value = given.value(log_alpha)",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: the prior never moves",
        FITS,
        "new = np.clip(log_alpha + step, *LOG_LIMITS)",
        "new = np.clip(log_alpha + 0 * step, *LOG_LIMITS)",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: no limits",
        FITS,
        "LOG_LIMITS = np.log([MIN_ALPHA, MAX_ALPHA])",
        "LOG_LIMITS = np.log([MIN_ALPHA / 100, MAX_ALPHA])",
        (EMPIRICAL,),
    ),
    Mutant(
        "vb_eb: no start where all cases are in one state",
        FITS,
        "of_states[:, 0] = kernel.counts.sum()",
        "of_states[:] = kernel.counts.sum() / kernel.n_states",
        (EMPIRICAL,),
    ),
    Mutant(
        "digamma: the second term left out",
        "src/latentdag/special.py",
        "series = np.log1p(n / a) + n / (2 * a * (a + n))",
        "series = np.log1p(n / a)",
        (SPECIAL,),
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
        "log_weights[part] = expected_log(batch, u[part], sums)",
        "log_weights[part] = expected_log(batch, self._u[part], sums)",
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
        "src/latentdag/sampling/ais.py",
        "            acceptance[:, part[first + b]] += chains.step(b, temperature)\n"
        "            temperatures[:, part[first + b]] += temperature\n"
        "            if near[b].any():\n"
        "                watched += np.where(near[b], chains.log_likelihood, 0)\n",
        "            if near[b].any():\n"
        "                watched += np.where(near[b], chains.log_likelihood, 0)\n"
        "            acceptance[:, part[first + b]] += chains.step(b, temperature)\n"
        "            temperatures[:, part[first + b]] += temperature\n"
        "            if near[b].any():\n",
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
