"""Write the summary."""

from latentdag.report.data_summary import write_data_summary
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.study.design.files import write_text
from latentdag.study.schema import tables
from lib.job import step


@step
def main(given, output, settings, model, asked):
    found = {name: tables.read(path, name) for name, path in given.items()}
    if settings.get("data"):
        about = {"main_alpha": model["alpha"], "asked": asked}
        text = write_data_summary(settings, tuple(model["family"]["observed"]), **about, **found)
    elif settings["population"]:
        text = write_population_summary(settings, **found)
    else:
        text = write_summary(settings, **found)
    write_text(output.text, text)
