"""Mistakes in the reference evidence: particles, bounds, sizes that share runs, errors."""

from mutant import by_their_text

LAWS = "tests/statistical/test_reference_laws.py"
SMC = "tests/unit/test_smc.py"
STATS = "tests/unit/test_stats.py"

REFERENCE_EVIDENCE = (
    *by_their_text(
        "src/latentdag/sampling/smc/particles.py",
        (
            "uniform * (weights[0] if conditional else 1.0)",
            "(0.0 if conditional else uniform)",
            (LAWS,),
        ),
        ("-1 if backwards else 1", "1", (LAWS,)),
        (
            "order.start, order.stop, order.step, False",
            "order.start, 0 if backwards else order.stop, order.step, False",
            (LAWS,),
        ),
        (
            ", weights / total",
            ", weights**0.5 / (weights**0.5).sum()",
            (LAWS,),
        ),
        (
            "streams, np.zeros(lanes), np.ones(lanes))",
            "streams, self.lanes.log_weights[chosen], np.ones(lanes))",
            (LAWS,),
        ),
        (
            "for table in (states[: self.n], counts, totals):",
            "for table in (states[: self.n], totals):",
            (LAWS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/loops.py",
        ("x = totals[row, p] - own +", "x = totals[row, p] +", (LAWS,)),
        ("ka, kb, kc, kd = prior[v],", "ka, kb, kc, kd = alpha,", (LAWS,)),
        ("own + tables.alpha_hidden", "own + tables.alpha", (LAWS,)),
        ("drawn[0] = retained[i]", "pass", (SMC,)),
        ("(bits >> np.uint64(16)) & np.uint64(0xFFFFFF)", "bits >> np.uint64(40)", (LAWS,)),
        ("for h in range(last):", "for h in range(last - (last > 1)):", (LAWS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/model.py",
        (" * (before + hidden * prior.alpha_hidden).prod(axis=1)", "", (LAWS,)),
        (
            "self._pack(states[:, self._active])",
            "self._pack(states[:, : len(self._active)])",
            (SMC,),
        ),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/schedule.py",
        ("times, t = [], 1", "times, t = [], 2", (SMC,)),
        (".bit_length() + 1) // 2", ".bit_length()) // 2", (SMC,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/evidence.py",
        (
            "np.column_stack([estimates[n] for n in sizes])",
            "np.column_stack([estimates[n] for n in sorted(sizes)])",
            (SMC,),
        ),
        ("path = [n for n in GRID if n <= max(on_path)]", "path = sorted(on_path)", (SMC,)),
        ("particles // 4", "particles // 2", (SMC,)),
        ('(*key, f"to {n}")', '(*key, "alone")', (SMC,)),
        ("structure.label, run) for run", "structure.label, 0) for run", (SMC,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/bounds.py",
        (
            '"reference upper", *key, structure.label, n, run',
            '"reference", *key, f"to {n}", structure.label, run',
            (SMC,),
        ),
        ("particle.sweep(backwards=True)", "particle.sweep()", (LAWS,)),
        ("        particle.sweep(backwards=True)\n", "", (LAWS,)),
        ("return path[::-1]", "return path", (LAWS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/run.py",
        ("conditional=trajectory is not None", "conditional=False", (SMC,)),
        (
            "            retained = next(codes)\n"
            "            cloud.resample(lanes(particles, n), conditional=trajectory is not None)\n"
            "            cloud.sweep(retained)\n",
            "            cloud.resample(lanes(particles, n), conditional=trajectory is not None)\n"
            "            cloud.sweep(retained)\n"
            "            retained = next(codes)\n",
            (SMC,),
        ),
        ("            cloud.sweep(retained)\n", "", (SMC,)),
        ("model.log_unlinked[n - 1]", "model.log_unlinked[n - 2]", (SMC,)),
    ),
    *by_their_text(
        "src/latentdag/stats.py",
        ("(k - 1) / k * np.sum", "1 / k * np.sum", (STATS,)),
        (
            "deviations -= deviations.mean(axis=-1, keepdims=True)",
            "deviations -= np.log(k - 1) + estimate[..., None]",
            (STATS,),
        ),
        (" - np.log(k)\n", "\n", (STATS,)),
        (
            "np.sort(np.asarray(log_weights, dtype=float).T)",
            "np.asarray(log_weights, dtype=float).T",
            (STATS,),
        ),
    ),
)
