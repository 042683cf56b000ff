"""Start and end of the runtime."""
import atexit
import operator
import os
import sys
import weakref

from comex import _mpi4py

_mpi4py.refuse_other()

from comex import _comex  # noqa: E402

progress = _comex.progress
initialized = _comex.initialized

futures = weakref.WeakSet()  # what finalize waits for
_life = 0  # how many times the runtime has started
_hook_before = None
_has_failed = False
_process = os.getpid()


class Runtime:
    """What init gives: the end of its with-block is finalize()."""

    def __init__(self, is_worker):
        self.is_worker = is_worker

    def __bool__(self):
        return self.is_worker

    def __enter__(self):
        return world() if self.is_worker else None

    def __exit__(self, kind, value, traceback):
        if not self.is_worker:
            return
        status = 0 if kind is None else _status_of(value)
        if status != 0:  # the others may wait for this worker for ever
            if not issubclass(kind, SystemExit):
                sys.excepthook(kind, value, traceback)
            elif not isinstance(value.code, int):
                print(value.code, file=sys.stderr, flush=True)  # as Python would
            sys.stdout.flush()
            _comex.end_job(f"an exception left the with-block of comex.init: {kind.__name__}: {value}", status)
        finalize()


def init(comm=None):
    """Starts the runtime. Collective over MPI_COMM_WORLD, or over `comm`, a communicator of mpi4py. It starts MPI if nobody
    has, and the end of the program ends what it has started.

    Without `comm` it does not return on a progress rank. With it, it returns there when the workers have finalized, and
    what it returns is false: the rank makes no other call.
    """
    global _life
    is_worker = True
    is_first = not initialized()
    if comm is None:
        sys.stdout.flush()  # a progress rank ends in there, by the exit of C
        sys.stderr.flush()
        _comex.init()
    else:
        mpi = _mpi4py.mpi()
        if not isinstance(comm, mpi.Comm):
            raise TypeError(f"comex.init: comm is {type(comm).__name__}; it must be a communicator of mpi4py")
        if comm == mpi.COMM_NULL:
            raise ValueError("comex.init: comm is COMM_NULL")
        is_worker = _comex.init_over(mpi._addressof(comm))
    if is_worker:
        _life += is_first
        _watch_exceptions()
    return Runtime(is_worker)


def life():
    """The number of the runtime that is on; 0: none."""
    return _life if initialized() else 0


def world():
    """The group of all workers."""
    from comex._group import Group
    return Group(_comex.WORLD)


def group_of(what, group):
    """The group that something is made by: the world where none is given."""
    if group is None:
        return world()
    if not group:
        raise ValueError(f"{what}: the group is none: it was freed, or the caller is outside; members alone make the call")
    return group


def integer(what, value, bits=32):
    """The value, if C has it as an int, or as a long."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; it must be an integer") from None
    most = 2**(bits - 1) - 1
    if not -most - 1 <= number <= most:
        raise ValueError(f"{what} is {number}; allowed are {-most - 1} to {most}")
    return number


def finalize():
    """Ends the runtime: collective over the workers. Views of arrays' memory are not to be used any more. At the end of the
    program it happens by itself."""
    global _hook_before
    if not initialized():
        return
    failed = None
    for future in list(futures):
        try:
            if future._pending is not None:
                future.wait()
        except _comex.Error as error:
            failed = error
    _comex.finalize()
    if sys.excepthook is _hook:
        sys.excepthook, _hook_before = _hook_before, None
    if failed is not None:
        raise failed


def _watch_exceptions():
    """A worker that ends by an exception ends the job, since the others may wait for it for ever."""
    global _hook_before
    if _hook_before is not None:
        return
    _hook_before, sys.excepthook = sys.excepthook, _hook


def _hook(kind, value, traceback):
    global _has_failed
    (_hook_before or sys.__excepthook__)(kind, value, traceback)
    _has_failed = _has_failed or not hasattr(sys, "ps1")  # a prompt goes on after it


def _status_of(exception):
    """The status of a program that ends by the exception."""
    if not isinstance(exception, SystemExit):
        return 1
    code = 0 if exception.code is None else exception.code
    return code & 0xff if isinstance(code, int) else 1


@atexit.register
def _end():
    if os.getpid() != _process:  # a forked child: MPI and the runtime are its parent's
        return
    sys.stdout.flush()
    sys.stderr.flush()
    # Where the program has a hook of its own, the interpreter still remembers the exception; a prompt goes on after it.
    is_told = hasattr(sys, "last_type") and not hasattr(sys, "ps1")
    if initialized() and (_has_failed or is_told):
        _comex.end_job("a worker ended by an exception", 1)
    try:
        finalize()
    except _comex.Error as error:  # an exception here would not change the status
        print(f"comex.finalize: {error}", file=sys.stderr, flush=True)
        _comex.end_mpi()
        os._exit(1)
    _comex.end_mpi()
