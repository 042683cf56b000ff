"""Waits of the drivers that kill, stop and disturb jobs."""
import time


def wait_until(condition, seconds):
    """False: it has not come true in so many seconds."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
