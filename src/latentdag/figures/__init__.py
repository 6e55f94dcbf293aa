"""The figures of a study: pure functions from tables to a matplotlib Figure.

Each figure is a file with one public function of the same name, such as `rank.rank`, which takes
tables (DataFrames) by their names, with columns as ``study/schema/tables.yaml`` has them, and reads
only these. It raises ValueError where they have no score that it draws. No statistic is computed
here: what no table has comes from `latentdag.study`. `style` says how scores look and saves
figures, `layout` places what is on a page, `graph` draws a structure, `band` a line in its band.
Which scores a figure draws, in which order and under which names, is declared with the scores: see
`Spec.figures`.
"""

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module

_modules = {
    file.name: import_module(f"{__name__}.{file.name}") for file in pkgutil.iter_modules(__path__)
}
FIGURES: Mapping[str, Callable] = {
    name: getattr(module, name) for name, module in _modules.items() if hasattr(module, name)
}
