#!/usr/bin/env python3
"""guest.py HOST PORT < COOKIE: looks for the cookie in what this user may read of all processes, then calls at the port without it.
Prints a line for each thing that it learns."""
import socket
import sys
from pathlib import Path

cookie = sys.stdin.read().strip().encode()
for process in Path("/proc").glob("[0-9]*"):
    for name in ("cmdline", "environ"):
        try:
            if cookie in (process / name).read_bytes():
                print(name, process.name)
        except OSError:
            pass  # not for this user, or it has ended
for greeting in (b"", bytes(64), b"0" * 64):
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=8) as connection:
        try:
            connection.sendall(greeting)
            connection.shutdown(socket.SHUT_WR)
            if connection.recv(64):
                print("an answer")
        except (ConnectionError, BrokenPipeError):
            pass  # thrown out
