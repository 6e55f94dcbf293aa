"""The data package of a study: what every table is, for programs that know nothing of ours."""

from collections.abc import Collection, Mapping, Sequence

from latentdag.study.schema.columns import TABLES, Kind

PAPER = {
    "title": (
        "Beal & Ghahramani (2003), The variational Bayesian EM algorithm for incomplete data: with "
        "application to scoring graphical model structures. Bayesian Statistics 7, 453-464"
    )
}


def datapackage(
    paths: Mapping[str, str],
    title: str,
    of_own_data: bool,
    variables: Sequence[str] = (),
    optional: Collection[str] = (),
) -> dict:
    """The descriptor of a Frictionless Data Package (https://specs.frictionlessdata.io/), a dict,
    of tables in CSV or Parquet: ``paths``, from the package's folder, by name of table. ``title``
    is the package's; ``of_own_data``: the tables are those of a study of a user's data.
    ``variables`` are the names of its observed variables, ``optional`` the optional columns that
    tables have. An empty cell is a missing value.
    """
    resources = []
    for name, path in paths.items():
        table, is_text = TABLES[name], path.endswith(".csv")
        names = list(table.columns_of_own_data if of_own_data else table.columns)
        names += [column for column in table.optional if column in optional]
        if table.by_variable:
            names += table.variable_columns(variables)
        columns = [table.column(column) for column in names]
        fields = [column.field() for column in columns]
        for column, field in zip(columns, fields, strict=True):
            if column.kind is Kind.COUNT and not is_text:
                field["type"] = "number"  # as Parquet has integers some of which are missing
        resource = {
            "profile": "tabular-data-resource" if is_text else "data-resource",
            "name": name,
            "path": path,
            "description": table.description,
            **({"encoding": "utf-8"} if is_text else {"format": "parquet"}),
            "schema": {"fields": fields, "missingValues": [""]},
        }
        resources.append(resource)
    all_text = all(path.endswith(".csv") for path in paths.values())
    return {
        "profile": "tabular-data-package" if all_text else "data-package",
        "name": "latentdag",
        "title": title,
        "licenses": [{"name": "MIT", "title": "MIT License"}],
        "sources": [PAPER],
        "resources": resources,
    }
