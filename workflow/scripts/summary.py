"""Write the summary. For a study of one draw, also write the findings: those of this run and of the
runs over many draws.
"""

from pathlib import Path

from latentdag.report.data_summary import write_data_summary
from latentdag.report.findings import write_findings
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.study.paper.runs import read_runs
from latentdag.study.schema import tables
from lib.files import write_text
from lib.job import step


@step
def main(given, output, settings, model, asked):
    files = {name: path for name, path in given.items() if name != "of_findings"}
    found = {name: tables.read(path, name) for name, path in files.items()}
    if settings.get("data"):
        about = {"main_alpha": model["alpha"], "asked": asked}
        text = write_data_summary(settings, tuple(model["family"]["observed"]), **about, **found)
    elif settings["population"]:
        text = write_population_summary(settings, **found)
    else:
        text = write_summary(settings, **found)
        runs = read_runs(given.of_findings, Path(output.findings).parent)
        write_text(output.findings, write_findings(runs))
    write_text(output.text, text)
