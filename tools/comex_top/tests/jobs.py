"""The jobs that comex_top lists, by their program."""
import subprocess
import time


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


def await_new(comex_top, program, before):
    """The one of this program that was not there before; an empty text if there is none after 10 s."""
    for _ in range(200):
        mine = names(comex_top, program) - before
        if mine:
            return mine.pop()
        time.sleep(0.05)
    return ""
