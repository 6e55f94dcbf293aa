"""What a result depends on: every module has its floor, and no script uses one that is above its
rule's.
"""

import pytest
from declared import imports_of, modules
from studies import PROFILE, ROOT, links

import latentdag
from lib import sources

pytestmark = pytest.mark.slow

LISTS = ("JOBS", "STRUCTURES", "STATISTICS", "OVER_DRAWS", "FIGURES", "TEXTS", "TOPICS")
OF_USERS = ("command", "estimator")  # no rule uses them


def test_every_module_has_a_floor():
    listed = {path for name in LISTS for path in getattr(sources, name)}
    package = {str(p.relative_to(ROOT)) for p in (ROOT / "src/latentdag").rglob("*.py")}
    others = {p for p in package - listed if p.split("/")[2] not in OF_USERS}
    assert others == {"src/latentdag/__init__.py", "src/latentdag/study/__init__.py"}
    assert not any(p.split("/")[2] in OF_USERS for p in listed)
    assert all((ROOT / path).is_file() for path in listed)
    for name in LISTS:
        assert len(getattr(sources, name)) == len({*getattr(sources, name)})


def used(script: str, known: dict) -> set[str]:
    """Paths of our modules that a script imports; of a name that the package passes on, that of the
    module that defines it.
    """
    found = set()
    for name in imports_of(ROOT / "workflow/scripts" / script):
        if name.startswith("latentdag.") and name.count(".") == 1:
            defined = getattr(latentdag, name.partition(".")[2], None)
            name = getattr(defined, "__module__", name)
        while name and name not in known:
            name = name.rpartition(".")[0]
        found |= {str(known[name].relative_to(ROOT))} if name else set()
    return found - {"workflow/lib/job.py", "workflow/lib/__init__.py"}


@pytest.mark.parametrize("config", ["study", "own-data", "draws"])
def test_a_rule_names_what_its_script_uses_or_waits_for_a_rule_that_does(unrun, rules, config):
    """So an edit of a module reruns what uses it."""
    scripted = {name: rule for name, rule in rules[config].items() if rule["script"]}
    asked = ("all", "report_pages", *PROFILE, "--configfile", f"workflow/config/{config}.yaml")
    before: dict[str, set[str]] = {}
    for first, then in links(unrun, *asked):
        before.setdefault(then, set()).add(first)
    known = modules(ROOT / "src/latentdag", "latentdag") | modules(ROOT / "workflow/lib", "lib")

    def named(rule: str) -> set[str]:
        own = set(scripted[rule]["code"]) if rule in scripted else set()
        return own.union(*(named(other) for other in before.get(rule, ())))

    assert len(scripted) > 15
    for name, rule in scripted.items():
        assert rule["code"], name
        assert used(rule["script"], known) <= named(name), name
