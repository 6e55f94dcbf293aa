"""Mistakes in the cache of machine code, in what is imported, and in the time that jobs tell."""

from mutant import Mutant

COMPILED = ("tests/unit/test_compiled.py",)
JOB = ("tests/workflow/test_job.py",)
SOURCE = "src/latentdag/machine_code.py"

OVERHEAD = (
    Mutant(
        "machine code: of the function's own file alone",
        SOURCE,
        "waiting += filter(",
        "waiting += () and filter(",
        COMPILED,
    ),
    Mutant(
        "machine code: names imported from a package not followed",
        SOURCE,
        'yield from (f"{node.module}.{alias.name}" for alias in node.names)',
        "pass",
        COMPILED,
    ),
    Mutant(
        "machine code: the order of fields forgotten",
        SOURCE,
        ' {kind.fields}"',
        '"',
        COMPILED,
    ),
    Mutant(
        "machine code: a function as an argument known by its name alone",
        SOURCE,
        "{function.__qualname__} {version(_file(function))}",
        "{function.__qualname__}",
        COMPILED,
    ),
    Mutant(
        "machine code: argument types forgotten",
        SOURCE,
        "[described(each) for each in sig]",
        "len(sig)",
        COMPILED,
    ),
    Mutant(
        "machine code: what is out of date stays",
        SOURCE,
        "other.unlink()",
        "pass",
        COMPILED,
    ),
    Mutant(
        "machine code: kept though a source was edited",
        SOURCE,
        "for path in sources(_file(function))) < started",
        "for path in sources(_file(function))) > 0",
        COMPILED,
    ),
    Mutant(
        "machine code: a full disk is an error",
        SOURCE,
        "with suppress(OSError):",
        "with suppress(KeyError):",
        COMPILED,
    ),
    Mutant(
        "machine code: also of parts",
        "src/latentdag/compiled.py",
        "njit(**AS_PART,",
        "self.dispatcher or njit(**AS_PART,",
        COMPILED,
    ),
    Mutant(
        "machine code: nothing is inlined",
        "src/latentdag/compiled.py",
        "forceinline=self.ALWAYS_INLINE",
        "forceinline=False",
        ("tests/unit/test_smc.py",),
    ),
    Mutant(
        "machine code: parts without their constants",
        SOURCE,
        "if environment is not None:",
        "if False:",
        COMPILED,
    ),
    Mutant(
        "jobs: the time of their children left out",
        "workflow/lib/job.py",
        "(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)",
        "(resource.RUSAGE_SELF,)",
        JOB,
    ),
)
