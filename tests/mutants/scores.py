"""Mistakes in the scores, in what is read off a job, and in the dispatcher of jobs."""

from mutant import Mutant

FORMULAS = "tests/unit/scores/test_formulas.py"
CONTRACT = "tests/unit/scores/test_contract.py"
AIS = "tests/unit/test_ais.py"
PENALTY = (f"{FORMULAS}::test_bic_is_the_fit_less_the_penalty",)
AT_MAP = (f"{FORMULAS}::test_map_at_its_own_estimate",)
DEFAULT_PRIOR = (f"{FORMULAS}::test_the_default_prior_is_uniform_and_alpha_hidden_follows_alpha",)
STREAMS = (f"{FORMULAS}::test_every_coordinate_names_a_stream_of_its_own",)
RESTARTS = (f"{FORMULAS}::test_library_command_and_study_share_one_rule_of_restarts",)
FIELDS = (f"{FORMULAS}::test_fields",)
AS_ASKED = (f"{CONTRACT}::test_structures_come_in_the_order_asked_for",)
ONCE = (f"{FORMULAS}::test_each_job_runs_once",)
SCRIPT = ("tests/workflow/test_scripts.py::test_the_scores_of_all_blocks",)

SCORES = (
    Mutant(
        "bic: twice the penalty",
        "src/latentdag/scores/bic.py",
        "n_parameters / 2 * log(n)",
        "n_parameters * log(n)",
        PENALTY,
    ),
    Mutant(
        "bic: ln (n - 1)",
        "src/latentdag/scores/bic.py",
        "log(n)",
        "log(n - 1)",
        PENALTY,
    ),
    Mutant(
        "bic: links for parameters",
        "src/latentdag/scores/bic.py",
        "bic(fit.score, fit.n_parameters,",
        "bic(fit.score, fit.structure.n_links,",
        PENALTY,
    ),
    Mutant(
        "bic: parameters of childless hidden variables left out",
        "src/latentdag/scores/bic.py",
        "bic(fit.score, fit.n_parameters,",
        "bic(fit.score, fit.structure.without_childless().n_parameters,",
        PENALTY,
    ),
    Mutant(
        "bic: keeps the log prior of its fit",
        "src/latentdag/scores/bic.py",
        ", log_prior=nan)",
        ")",
        FIELDS,
    ),
    Mutant(
        "cs: by a uniform prior",
        "src/latentdag/scores/cheeseman_stutz.py",
        "batch.kernel.prior_slots(task.prior))",
        "batch.kernel.prior_slots(type(task.prior)()))",
        AT_MAP,
    ),
    Mutant(
        "cs: of another structure's estimate",
        "src/latentdag/scores/cheeseman_stutz.py",
        "zip(structures, values, strict=True)",
        "zip(structures, values[::-1], strict=True)",
        AT_MAP,
    ),
    Mutant(
        "map: the prior's density in the score",
        "src/latentdag/scores/map.py",
        "yield Score(s, float(value), **how_it_went(found[s.label]), **beside)",
        "yield Score(s, float(value + prior), **how_it_went(found[s.label]), **beside)",
        AT_MAP,
    ),
    Mutant(
        "map: fitted with a uniform prior",
        "src/latentdag/scores/map.py",
        "EM(kernel.prior_slots(task.prior))",
        "EM(kernel.prior_slots(type(task.prior)()))",
        AT_MAP,
    ),
    Mutant(
        "map: restarts as ml has them",
        "src/latentdag/scores/map.py",
        'restart_settings("map", restarts=64, hits=8)',
        'restart_settings("map", restarts=4, hits=4)',
        RESTARTS,
    ),
    Mutant(
        "ml: with the prior of map",
        "src/latentdag/scores/ml.py",
        "EM(None)",
        "EM(kernel.prior_slots(task.prior))",
        (f"{FORMULAS}::test_maximum_likelihood_does_not_know_the_prior_but_through_its_starts",),
    ),
    Mutant(
        "vb: with a uniform prior",
        "src/latentdag/scores/vb.py",
        "VBEM(kernel.prior_slots(task.prior))",
        "VBEM(kernel.prior_slots(type(task.prior)()))",
        (f"{CONTRACT}::test_without_links_it_is_the_closed_form_where_it_must_be",),
    ),
    Mutant(
        "vb: no start from map's estimate",
        "src/latentdag/scores/vb.py",
        "first=first, ",
        "",
        (f"{FORMULAS}::test_the_default_is_what_the_study_runs",),
    ),
    Mutant(
        "exact: with a uniform prior",
        "src/latentdag/scores/exact.py",
        "log_evidence(cases, task.structures, task.prior)",
        "log_evidence(cases, task.structures)",
        DEFAULT_PRIOR,
    ),
    Mutant(
        "ais: reported chains take the pilots' streams",
        "src/latentdag/scores/ais.py",
        'own.stream("ais", s, c) for c in range(n_chains)',
        'own.stream("ais pilot", s, c) for c in range(n_chains)',
        (AIS,),
    ),
    Mutant(
        "ais: annealing runs take the streams of the score",
        "src/latentdag/scores/ais.py",
        'task.stream("annealing", structure, steps, origin, chain)',
        'task.stream("ais", structure, chain)',
        (AIS,),
    ),
    Mutant(
        "ais: temperature and acceptance swapped",
        "src/latentdag/scores/ais.py",
        "for part, (temperature, acceptance) in",
        "for part, (acceptance, temperature) in",
        SCRIPT,
    ),
    Mutant(
        "ais: chains and steps swapped in the score",
        "src/latentdag/scores/ais.py",
        "iterations=chains.steps, restarts=n_chains",
        "iterations=n_chains, restarts=chains.steps",
        FIELDS,
    ),
    Mutant(
        "ais: the best chain for their mean",
        "src/latentdag/scores/ais.py",
        "estimate, error = log_mean_exp(chains.log_weights)",
        "error = log_mean_exp(chains.log_weights)[1]\n        estimate = chains.log_weights.max()",
        (f"{AIS}::test_the_score_is_the_logarithm_of_the_mean_weight",),
    ),
    Mutant(
        "settings: hits ignored",
        "src/latentdag/scores/__init__.py",
        'if "hits" in values and given.get("restarts") and not given.get("hits"):',
        'if "hits" in values and given.get("restarts"):',
        RESTARTS,
    ),
    Mutant(
        "settings: not all restarts are done",
        "src/latentdag/scores/__init__.py",
        'values["hits"] = values["restarts"]',
        "pass",
        RESTARTS,
    ),
    Mutant(
        "dispatcher: structures by their label",
        "src/latentdag/scores/__init__.py",
        "key=lambda score: place[score.structure])",
        "key=lambda score: score.structure.label)",
        AS_ASKED,
    ),
    Mutant(
        "dispatcher: alpha for alpha_hidden",
        "src/latentdag/scores/__init__.py",
        "Prior(alpha, alpha_hidden)",
        "Prior(alpha, alpha)",
        DEFAULT_PRIOR,
    ),
    Mutant(
        "dispatcher: jobs run again for each score",
        "src/latentdag/scores/__init__.py",
        "for job in with_needs(SPECS[method].job.name for method in methods):",
        "for job in [j for m in methods for j in with_needs([SPECS[m].job.name])]:",
        ONCE,
    ),
    Mutant(
        "dispatcher: exchanged structures are not made canonical",
        "src/latentdag/scores/__init__.py",
        "[s.canonical() for s in of_one_family(structures)]",
        "of_one_family(structures)",
        (f"{CONTRACT}::test_exchanged_causes_give_the_identical_result",),
    ),
    Mutant(
        "starts: the same for every restart",
        "src/latentdag/scores/base.py",
        'self.stream("start", structures[item], restart)',
        'self.stream("start", structures[item], 0)',
        (f"{CONTRACT}::test_the_seed_is_all_the_chance_there_is",),
    ),
    Mutant(
        "streams: the structure left out",
        "src/latentdag/scores/base.py",
        "self.n, structure.label, *which)",
        "self.n, *which)",
        STREAMS,
    ),
    Mutant(
        "rows: links for parameters",
        "src/latentdag/scores/base.py",
        "return self.structure.n_parameters",
        "return self.structure.n_links",
        FIELDS,
    ),
)
