"""Mistakes that a careless hand might make, which the tests must see; `run.py` tries them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One mistake: in ``file``, ``old`` (which occurs there once) becomes ``new``.

    ``tests`` are the files, or tests in them, that should see it; ``survives`` says why no test
    can.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    survives: str = ""


STREAMS = ("tests/unit/test_streams.py",)
STRUCTURES = ("tests/unit/test_structures.py",)
SIMULATION = ("tests/statistical/test_simulation.py",)
DRAWS = ("tests/unit/test_draw_study.py",)
DATA = ("tests/unit/test_data.py",)
COMMAND = ("tests/unit/test_cli.py",)

MUTANTS = (
    # random streams
    Mutant(
        "streams: the seed left out",
        "src/latentdag/streams.py",
        "SeedSequence([seed, *",
        "SeedSequence([0, *",
        STREAMS,
    ),
    Mutant(
        "streams: the last part of the key left out",
        "src/latentdag/streams.py",
        "map(str, key)",
        "map(str, key[:-1])",
        STREAMS,
    ),
    Mutant(
        "streams: parts of the key run together",
        "src/latentdag/streams.py",
        '"/".join',
        '"".join',
        STREAMS,
    ),
    # the prior and simulated cases
    Mutant(
        "prior: alpha for hidden variables",
        "src/latentdag/model.py",
        "np.full(k, prior.alpha_hidden)",
        "np.full(k, prior.alpha)",
        SIMULATION,
    ),
    Mutant(
        "prior: alpha_hidden for observed variables",
        "src/latentdag/model.py",
        "np.full(k, prior.alpha), size",
        "np.full(k, prior.alpha_hidden), size",
        SIMULATION,
    ),
    Mutant(
        "parent configurations: the first parent fastest",
        "src/latentdag/model.py",
        "for i in parents:",
        "for i in reversed(parents):",
        SIMULATION,
    ),
    Mutant(
        "simulate: hidden variables share their random numbers",
        "src/latentdag/model.py",
        "uniforms[:, h]",
        "uniforms[:, 0]",
        SIMULATION,
    ),
    Mutant(
        "simulate: observed variables take those of hidden ones",
        "src/latentdag/model.py",
        "uniforms[:, n_hidden + j]",
        "uniforms[:, j]",
        SIMULATION,
    ),
    Mutant(
        "simulate: one table for every state of the parents",
        "src/latentdag/model.py",
        "rows[parent_configuration(structure, j, states)]",
        "rows[0 * parent_configuration(structure, j, states)]",
        SIMULATION,
    ),
    Mutant(
        "simulate: data sets that are not nested",
        "src/latentdag/model.py",
        "rng.random((n, n_hidden + n_observed))",
        "rng.random((n_hidden + n_observed, n)).T",
        SIMULATION,
    ),
    Mutant(
        "draws: all have the parameters of one",
        "src/latentdag/model.py",
        'generator(seed, "parameters", draw)',
        'generator(seed, "parameters", 0)',
        DRAWS,
    ),
    Mutant(
        "draws: all have the random numbers of one",
        "src/latentdag/model.py",
        'generator(seed, "cases", draw)',
        'generator(seed, "cases", 0)',
        DRAWS,
    ),
    Mutant(
        "draws: cases from the stream of the parameters",
        "src/latentdag/model.py",
        'generator(seed, "cases", draw)',
        'generator(seed, "parameters", draw)',
        DRAWS,
    ),
    # structures
    Mutant(
        "labels count hidden variables from 0",
        "src/latentdag/structures.py",
        "str(i + 1) for i in parents",
        "str(i) for i in parents",
        STRUCTURES,
    ),
    Mutant(
        "parameters: those of hidden variables not counted",
        "src/latentdag/structures.py",
        "sum(c - 1 for c in hidden) + sum(",
        "sum(",
        STRUCTURES,
    ),
    Mutant(
        "parameters: rows of a table counted as one per parent",
        "src/latentdag/structures.py",
        "rows = (prod(hidden[i] for i in p) for p in self.parents)",
        "rows = (max(1, sum(hidden[i] for i in p)) for p in self.parents)",
        STRUCTURES,
    ),
    Mutant(
        "links: variables with parents counted",
        "src/latentdag/structures.py",
        "sum(len(p) for p in self.parents)",
        "sum(len(p) > 0 for p in self.parents)",
        STRUCTURES,
    ),
    Mutant(
        "canonical form: the last of the class",
        "src/latentdag/structures.py",
        "min(renamed,",
        "max(renamed,",
        STRUCTURES,
    ),
    Mutant(
        "exchange: hidden variables of unequal cardinality",
        "src/latentdag/structures.py",
        "if all(self.hidden[i] == self.hidden[p[i]] for i in everyone)",
        "if len(p) == len(everyone)",
        STRUCTURES,
    ),
    Mutant(
        "enumeration: what an exchange leaves as it is left out",
        "src/latentdag/structures.py",
        "if all(tuple(image[r] for r in ranks) >= ranks for image in images)",
        "if all(tuple(image[r] for r in ranks) > ranks for image in images[1:])",
        STRUCTURES,
    ),
    Mutant(
        "enumeration: sorted by label alone",
        "src/latentdag/structures.py",
        "key=lambda s: (s.n_parameters, s.label)",
        "key=lambda s: s.label",
        STRUCTURES,
    ),
    Mutant(
        "childless: the first cardinalities kept",
        "src/latentdag/structures.py",
        "tuple(self.family.hidden[i] for i in active)",
        "self.family.hidden[: len(active)]",
        STRUCTURES,
    ),
    # data of one's own
    Mutant(
        "levels: numbers sorted as text",
        "src/latentdag/data.py",
        "key=int if numeric else str",
        "key=str",
        DATA,
    ),
    Mutant(
        "levels: the last value first",
        "src/latentdag/data.py",
        "key=int if numeric else str",
        "key=int if numeric else str, reverse=True",
        DATA,
    ),
    Mutant(
        "levels: numbers below 0 taken for text",
        "src/latentdag/data.py",
        'v.lstrip("-").isdecimal()',
        "v.isdecimal()",
        DATA,
    ),
    Mutant(
        "counts: each line stands for one case",
        "src/latentdag/data.py",
        ".repeat(numbers, axis=0)",
        "",
        DATA,
    ),
    Mutant(
        "counts: read from the first column",
        "src/latentdag/data.py",
        "int(row[column]) for row in rows",
        "int(row[0]) for row in rows",
        DATA,
    ),
    Mutant(
        "cases: in the order of the file",
        "src/latentdag/data.py",
        'generator(0, "order of the cases").permutation(codes)',
        "codes",
        DATA,
    ),
    Mutant(
        "cases: their order from another stream",
        "src/latentdag/data.py",
        'generator(0, "order of the cases")',
        'generator(0, "cases")',
        DATA,
    ),
    Mutant(
        "cases: each column in an order of its own",
        "src/latentdag/data.py",
        ".permutation(codes)",
        ".permuted(codes, axis=0)",
        DATA,
    ),
    # the command
    Mutant(
        "command: --alpha is not passed on",
        "src/latentdag/cli.py",
        '("alpha", "alpha_hidden", "seed", ',
        '("alpha_hidden", "seed", ',
        COMMAND,
    ),
    Mutant(
        "command: --alpha-hidden is not passed on",
        "src/latentdag/cli.py",
        '("alpha", "alpha_hidden", "seed", ',
        '("alpha", "seed", ',
        COMMAND,
    ),
    Mutant(
        "command: --seed is not passed on",
        "src/latentdag/cli.py",
        '("alpha", "alpha_hidden", "seed", ',
        '("alpha", "alpha_hidden", ',
        COMMAND,
    ),
    Mutant(
        "command: the worst structure first",
        "src/latentdag/cli.py",
        "np.argsort(-values",
        "np.argsort(values",
        COMMAND,
    ),
    Mutant(
        "command: a tie counts as a better structure",
        "src/latentdag/cli.py",
        "1 + (values > values[i]).sum()",
        "(values >= values[i]).sum()",
        COMMAND,
    ),
    Mutant(
        "command: probabilities not normalised",
        "src/latentdag/cli.py",
        "mass[i].item() / mass.sum().item()",
        "mass[i].item()",
        COMMAND,
    ),
    Mutant(
        "command: a posterior from every score",
        "src/latentdag/cli.py",
        "if SPECS[options.method].posterior:",
        "if options.method:",
        COMMAND,
    ),
    Mutant(
        "command: links for parameters",
        "src/latentdag/cli.py",
        '"n_parameters": score.n_parameters',
        '"n_parameters": score.structure.n_links',
        COMMAND,
    ),
    Mutant(
        "command: scores to two digits",
        "src/latentdag/cli.py",
        'f"{value:.6f}"',
        'f"{value:.2f}"',
        COMMAND,
    ),
)
