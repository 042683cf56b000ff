"""The jobs that comex_top lists, by their program."""
import subprocess


def program_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")[0].decode()
    except OSError:
        return ""  # it has ended


def names(comex_top, program):
    """Those of this program: others may run here."""
    said = subprocess.run([comex_top, "--list"], capture_output=True, text=True, timeout=30, check=False).stdout
    lines = [line.split() for line in said.splitlines()]
    return {words[0] for words in lines if program_of(words[-1]) == program}
