"""Write the summary."""

from latentdag.report.data_summary import write_data_summary
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.study.design.files import write_text
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    settings, model = snakemake.params.settings, snakemake.params.model
    frames = {name: tables.read(path, name) for name, path in snakemake.input.items()}
    if settings["data"]:
        text = write_data_summary(
            settings,
            tuple(model["family"]["observed"]),
            main_alpha=model["alpha"],
            requested=snakemake.params.named,
            **frames,
        )
    elif settings["population"]:
        text = write_population_summary(settings, **frames)
    else:
        text = write_summary(settings, **frames)
    write_text(snakemake.output.text, text)
