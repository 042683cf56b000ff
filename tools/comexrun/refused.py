"""What cannot be started. One line says why, and what is allowed."""
import re


class Refused(ValueError):
    pass


MOST = 999_999_999


def whole(where, text, least, most=MOST, what=""):
    """A whole number in ASCII digits, of which more than nine are not looked at: Python fails on thousands."""
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise Refused(f"{where}: expected {what or f'a number from {least} to {most}'} and not \"{text[:20]}\"")
    return int(text)
