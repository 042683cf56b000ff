"""A process manager number (COMEX_MANAGER) of one's own: a lock that lives as long as the launch, however that ends."""
import fcntl
import os

from refused import Refused


def own_folder():
    folder = os.environ.get("COMEXRUN_DIR", "")
    if not folder:
        base = os.environ.get("XDG_RUNTIME_DIR", "")
        if not os.path.isdir(base) or not os.access(base, os.W_OK | os.X_OK):
            base = "/tmp"  # batch jobs and su inherit the name of a folder that is not here
        folder = os.path.join(base, f"comexrun-{os.getuid()}")
        try:
            os.mkdir(folder, 0o700)
        except OSError:
            pass  # it is there, or the next lines say why it is not
        if os.path.islink(folder) or not os.path.isdir(folder) or os.stat(folder).st_uid != os.getuid():
            raise Refused(f"{folder} is not a folder of this user; name another one with COMEXRUN_DIR")
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"COMEXRUN_DIR={folder} is not a folder that can be written to")
    return folder


def take():
    """A number that no other launch has; its lock stays open, also in the program that replaces this one."""
    folder = own_folder()
    for number in range(1, 256):
        try:
            lock = os.open(os.path.join(folder, f"manager-{number}"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise Refused(f"{folder}: no lock can be made there: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        os.set_inheritable(lock, True)
        return number
    raise Refused(f"all numbers from 1 to 255 are taken by launches that are still running (locks in {folder})")
