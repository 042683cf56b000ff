"""What cannot be started. One line says why, and what is allowed."""


class Refused(ValueError):
    pass
