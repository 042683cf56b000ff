"""What an output of NWChem says, by NWChem's own QA/nwparse.pl, and whether two of them agree."""
import re
import subprocess
from pathlib import Path

NUMBER = re.compile(r"^[-+]?\d*[.]?\d+$")
COMPLAINT = re.compile(r"^(\[?comex|comex|ARMCI|on_hosts|.*MPI_ABORT|.*[Ss]egmentation)")


def parsed(source, output):
    """The lines that nwparse.pl makes of an output: energies, gradients, coordinates and frequencies, rounded."""
    subprocess.run(["perl", Path(source) / "QA/nwparse.pl", "-q", output.name], cwd=output.parent, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Path(f"{output}.nwparse").read_text(errors="replace").splitlines()


def unit(word):
    """What the last digit of a number stands for."""
    return 10.0 ** -len(word.partition(".")[2])


def same_word(one, other):
    """Equal, or two numbers one apart in the last digit: rounding may have cut between values that are as good as equal."""
    if one == other:
        return True
    if not NUMBER.match(one) or not NUMBER.match(other) or unit(one) != unit(other):
        return False
    return abs(float(one) - float(other)) < 1.5 * unit(one)


def difference(reference, found):
    """None if both say the same, else the first lines that differ."""
    if not reference or len(reference) != len(found):
        return f"{len(found)} lines of results instead of {len(reference)}"
    for one, other in zip(reference, found):
        ours, theirs = other.split(), one.split()
        if len(ours) != len(theirs) or not all(map(same_word, theirs, ours)):
            return f"`{' '.join(ours)}` instead of `{' '.join(theirs)}`"
    return None


def complaints(output):
    """Lines of the runtime, of the launcher or of a signal: none of them belong into a run that went well."""
    lines = output.read_text(errors="replace").splitlines()
    return [line for line in lines if COMPLAINT.match(line) and "have no progress rank" not in line]


def ended(output):
    return "Total times  cpu:" in output.read_text(errors="replace")
