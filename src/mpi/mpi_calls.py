"""The table of MPI calls, mpi_calls.txt, for those who make wrappers from it."""
import fnmatch
import re
from pathlib import Path

KINDS = {"workers", "attribute", "errhandler", "group", "begin", "end", "real", "fortran", "none"}
WAYS = {"among_all", "from_root", "to_root", "to_higher_ranks", "to_one", "to_all", "to_workers", "receive",
        "begins_receive", "synchronous"}
CALLER = "__builtin_return_address(0)"


class Argument:
    def __init__(self, text):
        match = re.fullmatch(r"(.*?)(\w+)((?:\[\])*)", text.strip())
        self.type, self.name, self.array = match.group(1).strip(), match.group(2), match.group(3)
        self.is_communicator = self.type == "MPI_Comm" and not self.array
        self.is_text = re.search(r"\bchar\b", self.type) is not None


class Call:
    def __init__(self, kind, declared, parameters):
        self.kind, self.may_be_missing = kind.rstrip("?"), kind.endswith("?")
        self.result, self.name = declared.split()
        self.parameters = parameters
        self.arguments = [] if self.parameters == "void" else [Argument(a) for a in self.parameters.split(",")]
        self.passed = ", ".join(a.name for a in self.arguments)
        self.communicators = [a.name for a in self.arguments if a.is_communicator]
        self.ways = set()

    def has_choice_buffer(self):
        return any(a.type in ("void *", "const void *") for a in self.arguments)

    def is_large_form(self, names_of_calls):
        """Of a function for smaller counts. Fortran has it under the same name."""
        return self.name.endswith("_c") and self.name[:-2] in names_of_calls

    def makes_persistent(self):
        return re.search(r"_init(_c)?$", self.name) is not None

    def starts_request(self):
        return self.arguments[-1].type == "MPI_Request *"

    def is_form_of(self, pattern):
        """Whether a row of orders that has this name speaks of the call."""
        if self.makes_persistent() and not pattern.endswith("_init"):
            return False
        small = re.sub(r"_c$", "", self.name)
        blocking = re.sub(r"^MPI_I(\w)", lambda m: "MPI_" + m[1].upper(), small)
        return any(fnmatch.fnmatchcase(n, pattern) for n in (small, blocking))


def rows_of(path):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def with_forms(kind, row):
    """The call of a row, and the forms of it that the marks name."""
    match = re.fullmatch(r"(?:([ipxc]+) )?(\w+ MPIX?_\w+)\((.*)\)", row)
    if kind.rstrip("?") not in KINDS or match is None:
        raise ValueError(f"not a row of the table: {kind} {row}")
    marks, declared, parameters = match[1] or "", match[2], match[3]
    may_be_missing = kind.rstrip("?") + "?"
    request = ", MPI_Request *request"
    info = "" if "int dest" in parameters else ", MPI_Info info"
    forms = [(kind, declared, parameters)]
    if "i" in marks:
        name = re.sub(r"MPI_\w", lambda m: "MPI_I" + m[0][-1].lower(), declared)
        forms.append((kind, name, parameters.replace(", MPI_Status *status", "") + request))
    if "p" in marks:
        forms.append((may_be_missing if info else kind, declared + "_init", parameters + info + request))
    if "c" in marks:
        forms += [(may_be_missing, name + "_c", large_counts(given)) for _, name, given in forms]
    if "x" in marks:
        name = declared.replace("MPI_", "MPIX_") + "_init"
        forms.append((may_be_missing, name, parameters + info + request))
    return [Call(*form) for form in forms]


def large_counts(parameters):
    """The parameters of the form for large counts."""
    counted = re.sub(r"\bint (\*?(\w*counts?|\w*size|position)\b)", r"MPI_Count \1", parameters)
    return re.sub(r"\bint (\w*displs|disp_unit)\b", r"MPI_Aint \1", counted)


def read_table(path):
    """The calls, and the names of those into which no communicator goes and that have no prototype."""
    calls, without, orders = [], [], []
    for line in rows_of(path):
        kind, rest = line.split(None, 1)
        if kind == "order":
            orders.append(rest.split())
        elif kind == "none" and "(" not in rest:
            without += rest.split()
        else:
            calls += with_forms(kind, rest.strip())
    for way, *patterns in orders:
        for pattern in patterns:
            forms = [call for call in calls if call.is_form_of(pattern)]
            if way not in WAYS or not forms:
                raise ValueError(f"not a row of the table: order {way} {pattern}")
            for call in forms:
                call.ways.add(way)
    return calls, without
