"""Runs with the figures that a test wants, and the columns that it names."""
import columns
from results import Results

ABOUT = {"cpu": "c", "kernel": "k", "mpi": "m", "date": "d", "commit": "0", "rounds": 1, "load": "0"}


def run(**medians):
    """A run of one row of every figure given as row__column=median, with a spread of 1 %. Its columns are those of one MPI,
    and others that are given a figure."""
    given = {key.partition("__")[2] for key in medians}
    results = Results({"workers": 2, "cores": 2}, [{"name": c.name, "title": c.title, "place": c.place, "absent": ""}
                                                   for c in columns.all_columns() if not c.mpi or c.name in given])
    for key, median in medians.items():
        row, _, name = key.partition("__")
        for factor in (0.99, 1.0, 1.01, 1.0):
            results.add(row.replace("_", ".") if row.startswith(("put", "get", "acc")) else row, name, median * factor,
                        "ns", "verified")
    return results


def column(name):
    return next(c for c in columns.all_columns() if c.name == name)
