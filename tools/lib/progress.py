"""How far a long run of one of the tools is, on standard error: a bar on a terminal where there is rich (python3-rich), else a
line with each tenth."""
import sys
import time

try:
    from rich.console import Console
    from rich.progress import track
except ImportError:
    track = None


def shown(items, what):
    """The items in turn, as they are worked on."""
    if track and sys.stderr.isatty():
        return track(items, what, console=Console(stderr=True), transient=True)
    return told(items, what)


def told(items, what):
    began, tenths = time.monotonic(), 0
    for number, item in enumerate(items, 1):
        yield item
        if 10 * number // len(items) > tenths:
            tenths = 10 * number // len(items)
            print(f"{what}: {number} of {len(items)} ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
