"""All of the package comex, for several layouts of the job. Arguments:
  comm     init over a communicator of mpi4py          other    mpi4py is of another MPI, and is refused
  raises   an exception on one worker ends the job     leaves   the same, out of a with-block
  exits    the same, by sys.exit of a text or, with a second argument, of 3
  prompts  an exception at a prompt ends nothing       prints   every process prints before the start
"""
import code
import os
import sys

import numpy as np

KINDS = ("int32", "int64", "float32", "float64", "complex64", "complex128")


def require(holds, what):
    if not np.all(holds):
        raise AssertionError(f"worker {me}: {what}: wrong")


def raises(kind, words, call):
    try:
        call()
    except kind as error:
        require(words in str(error) and "\n" not in str(error), f"the text of {kind.__name__}: {error}")
    else:
        require(False, f"no {kind.__name__}, which would say: {words}")


def numbers(shape, dtype, first=0):
    return (np.arange(first, first + np.prod(shape, dtype=int)) % 120).astype(dtype).reshape(shape)


def check_kind(dtype):
    shape = (4 * size + 1, 5, 6)
    model = numbers(shape, dtype)
    a = comex.Array(shape, dtype)
    rows = a.rows()
    a.local[...] = model[rows]
    world.barrier()
    for index in (..., 0, -1, (slice(None), 2), (slice(1, None, 3), slice(0, 5, 2), slice(1, 6, 4)), (3, 4, 5),
                  (..., 1), (slice(2, 4), ..., slice(5, 2)), slice(-3, None), (slice(None), 1, slice(2, 4)),
                  slice(1, None, 2**62), (0, slice(None, None, 10**20))):
        found = a[index]
        require(found.dtype == model.dtype and np.shape(found) == np.shape(model[index]), f"the shape of a get of {index}")
        require(found == model[index], f"a get of {index} of {dtype}")
        require(a.get_async(index).wait() == model[index], f"a non-blocking get of {index}")
    wide = np.zeros((8, 10), dtype)
    a.get((2, slice(1, 5), slice(0, 5)), wide[::2, ::2])
    require(wide[::2, ::2] == model[2, 1:5, :5], "a get into a section")
    require(wide[1::2] == 0, "what is beside a section")
    world.barrier()

    # Each worker writes one column of all rows.
    if me < 5:
        block = numbers((shape[0], 6), dtype, me)
        if me % 2 == 0:
            a[:, me] = block
        else:
            future = a.put_async((slice(None), me), block.T.copy().T)  # its strides are those of columns
            require(future.wait() is None and future.done(), "a put that is done")
    world.barrier()
    for column in range(min(size, 5)):
        model[:, column] = numbers((shape[0], 6), dtype, column)
    require(a[...] == model, f"columns of {dtype} after puts")
    require(a.local == model[rows], "the own rows after puts")
    world.barrier()
    a[me, 0, ::2] = 7 if me % 2 == 0 else np.array([7, 7, 7], dtype)[::-1]
    world.barrier()
    model[:size, 0, ::2] = 7
    require(a[:, 0] == model[:, 0], "a number and a block that runs backwards")
    world.barrier()

    if dtype in KINDS:
        block = numbers((shape[0] - 1, 2, 6), dtype)
        a.accumulate(slice(1, None), block[:, :1].repeat(5, axis=1), alpha=2)
        a.accumulate_async((slice(1, None), slice(0, 4, 3)), block).wait()
        a.accumulate((0, 0, 0), 1)
        world.barrier()
        for _ in range(size):
            model[1:] += 2 * block[:, :1]
            model[1:, 0:4:3] += block
            model[0, 0, 0] += 1
        require(a[...] == model, f"sums of {dtype}")
        world.barrier()
    else:
        raises(TypeError, "accumulate takes int32", lambda: a.accumulate(0, numbers(shape[1:], dtype)))
    a.free()
    raises(ValueError, "was freed", lambda: a[0])


def check_shapes():
    few = comex.Array(max(1, size - 1), "int64")  # a worker has no row
    require(few.shape == (max(1, size - 1),) and few.ndim == 1 and len(few) == few.size, "a shape")
    require(sum(few.rows(r).stop - few.rows(r).start for r in range(size)) == len(few), "all rows are dealt")
    few.local[:] = np.arange(few.rows().start, few.rows().stop)
    world.barrier()
    require(few[...] == np.arange(len(few)), "rows of few")
    require(few[::3] == np.arange(0, len(few), 3), "rows of some of few")
    world.barrier()
    few.free()
    pairs = comex.Array((size, 3), [("key", "i2"), ("value", "f4"), ("text", "S5")])  # 11 bytes
    pairs.local["key"] = me
    pairs[me, 1] = np.array((7, 2.5, b"seven"), pairs.dtype)[()]
    world.barrier()
    seen = pairs[(me + 1) % size]
    require(seen["key"].tolist() == [(me + 1) % size, 7, (me + 1) % size], "keys of records")
    require(seen[1]["text"] == b"seven" and seen[1]["value"] == 2.5, "a record")
    world.barrier()
    pairs.free()
    nothing = comex.Array((0, 4), "float64")
    require(nothing[...].shape == (0, 4) and nothing.local.shape == (0, 4), "no rows")
    nothing.free()
    large = comex.Array((size * 300, 1000), "float64")  # pieces
    large[large.rows(me)] = 1.5
    world.barrier()
    large.accumulate(..., np.full(large.shape, 1.0))
    world.barrier()
    require(large[::7, ::13] == 1.5 + size, "a large array")
    world.barrier()
    # Nobody else has the block: what takes its memory meanwhile must not arrive.
    rows = slice(300 * ((me + 1) % size), 300 * ((me + 1) % size) + 300)
    future = large.put_async(rows, np.full((300, 1000), float(me)))
    other = np.full((300, 1000), -1.0)
    future.wait()
    world.barrier()
    require(large.local == (me - 1) % size, "a large block that only its future had")
    require(other == -1, "what comes after a block")
    del other
    world.barrier()
    large.free()


def check_overlap():
    """Own rows moved within themselves, as numpy moves them."""
    a = comex.Array((size * 12, 5), "int64")
    own = a.rows().start
    for shift in (-1, 1):
        for move in ("put", "get", "get_async", "accumulate"):
            a.local[:] = expected = np.arange(60).reshape(12, 5)
            to, source = np.s_[2 + shift:9 + shift, 0:3], np.s_[2:9, 0:3]
            rows = np.s_[own + 2 + shift:own + 9 + shift, 0:3]
            if move == "put":
                a[rows] = a.local[source]
                expected[to] = expected[source].copy()
            elif move == "accumulate":
                a.accumulate(rows, a.local[source])
                expected[to] += expected[source].copy()
            else:
                if move == "get":
                    a.get(rows, a.local[source])
                else:
                    a.get_async(rows, a.local[source]).wait()
                expected[source] = expected[to].copy()
            require(a.local == expected, f"{move} of own rows shifted by {shift}")
    world.barrier()
    a.free()


def check_lifetime():
    a = comex.Array((size, 1000), "float64")
    view = a.local[:, 10:20]
    view[:] = me
    raises(BufferError, "still in use", a.free)
    world.barrier()
    futures = [a.put_async((slice(None), 20 + me), np.full(size, float(me))) for _ in range(3)]  # nobody else has the block
    gets = [a.get_async((row, slice(10, 20))) for row in range(size)]
    del futures[1]  # waits
    require([future.wait()[0] for future in gets] == np.arange(size), "rows that were got at once")
    while not all(future.done() for future in futures):
        comex.progress()
    for future in futures:
        future.wait()
    world.barrier()
    require(a[:, 20:20 + size] == np.arange(size), "columns that were put at once")
    world.barrier()
    held = a.local
    del a  # the view keeps the memory
    held[0, 999] = 4
    require(view == me, "a view whose array is gone")
    require(held[0, 999] == 4, "a store by a view whose array is gone")


def check_sync():
    counter = comex.Counter(first=5, root=size - 1)
    total = comex.Array(2, "int64")
    if me == 0:
        total[...] = 0
    world.barrier()
    mine = 0
    while counter.fetch_add() < 25:
        mine += 1
    total.accumulate(0, mine)
    mutexes = comex.Mutexes(2)
    for _ in range(5):
        with mutexes[1, size - 1]:
            total[1] = total[1] + 1
    world.barrier()
    require(total[0] == 20, "tasks that were drawn")
    require(total[1] == 5 * size, "a sum under a mutex")
    mutex = comex.Mutex(0, me)
    require(mutex.lock() is False, "a mutex that no dead worker had")
    mutex.unlock()
    require(mutex.try_lock(), "a mutex that is free")
    comex.barrier()
    if size > 1:
        require(not mutexes[0, (me + 1) % size].try_lock(), "a mutex that is not")
    comex.barrier()
    mutex.unlock()
    raises(comex.Error, "unlock of a mutex that nobody holds", mutex.unlock)
    comex.barrier()
    mutexes.destroy()
    require(counter.fetch_add(10) >= 25 + size, "a counter that went on")
    comex.barrier()
    counter.free()
    total.free()
    raises(ValueError, f"the root {size} is no rank", lambda: comex.Counter(root=size))


def check_groups():
    half = world.split(me % 2, -me)
    require(half.size == (size + 1 - me % 2) // 2, "the size of a half")
    require(half.translate(half.rank, world) == me, "a rank in the world")
    a = comex.Array(half.size, "int32", group=half)
    a.local[:] = me
    half.barrier()
    require(a[...] == np.arange(me % 2, size, 2)[::-1], "an array of a half")
    require(half.host_of(half.rank) == world.host_of(me), "a host")
    half.fence(0)
    half.fence()
    half.barrier()
    a.free()
    half.free()
    require(not half and half.rank == -1, "a group that was freed")
    require(not world.split(None), "no group")
    if size > 1:
        with world.create([size - 1, 0]) as pair:
            require(bool(pair) == (me in (0, size - 1)), "who is in a group of two")
            if me == 0:
                require(pair.rank == 1 and pair.translate(0, world) == size - 1, "ranks of a group of two")
        with world.create([0]) as first:
            if me == 0:
                require(world.translate(size - 1, first) is None, "no member")


def check_refusals():
    a = comex.Array((size, 4), "float32")
    small = comex.Array(1, "int16")
    a.local[:] = 1
    world.barrier()
    row = np.ones(4, "float32")
    none = world.split(None)
    for kind, words, call in (
            (TypeError, "put of float64 to an array of float32", lambda: a.__setitem__(0, np.ones(4))),
            (TypeError, "put of int64 to an array of int16", lambda: small.__setitem__(0, 40000)),
            (TypeError, "put of complex128", lambda: a.__setitem__(0, 1j)),
            (ValueError, "block of shape (3,) to a region of shape (4,)", lambda: a.__setitem__(0, row[:3])),
            (ValueError, "shape (4,) to a region of shape (1, 4)", lambda: a.__setitem__(slice(0, 1), row)),
            (IndexError, f"index {size} is out of range on axis 0, which has {size}", lambda: a[size]),
            (IndexError, "3 indices; the array has 2", lambda: a[0, 0, 0]),
            (IndexError, "at most one", lambda: a[..., ...]),
            (TypeError, "indices are integers, slices", lambda: a[[0, 1]]),
            (TypeError, "indices are integers, slices", lambda: a[1.5]),
            (TypeError, "indices are integers, slices", lambda: a[True]),
            (ValueError, "the step -1 on axis 1", lambda: a[0, ::-1]),
            (TypeError, "alpha is 'x'", lambda: a.accumulate(0, row, alpha="x")),
            (TypeError, "out is of float64", lambda: a.get(0, np.ones(4))),
            (TypeError, "out is of list", lambda: a.get(0, [1])),
            (ValueError, "out is of shape (3,)", lambda: a.get(0, row[:3])),
            (ValueError, "runs backwards", lambda: a.get(0, row[::-1])),
            (IndexError, "is no rank of the group", lambda: a.rows(size)),
            (ValueError, "the shape is (-1,)", lambda: comex.Array(-1)),
            (ValueError, "8 dimensions; 1 to 7", lambda: comex.Array((1,) * 8)),
            (TypeError, "no bytes that others could use", lambda: comex.Array(3, object)),
            (ValueError, "has more than 9223372036854775807 bytes", lambda: comex.Array((2**31, 2**32), "int8")),
            (ValueError, "has more than 9223372036854775807 bytes", lambda: comex.Array((0, 10**30))),
            (ValueError, "first is 1208925819614629174706176; allowed are", lambda: comex.Counter(first=2**80)),
            (TypeError, "first is 'x'; it must be an integer", lambda: comex.Counter(first="x")),
            (TypeError, "root is 0.5; it must be an integer", lambda: comex.Counter(root=0.5)),
            (TypeError, "rank is '0'; it must be an integer", lambda: comex.fence("0")),
            (ValueError, "rank is 2147483648; allowed are", lambda: comex.fence(2**31)),
            (ValueError, "comex.Array: the group is none", lambda: comex.Array(3, group=none)),
            (ValueError, "comex.Counter: the group is none", lambda: comex.Counter(none)),
            (comex.Error, "is out of range", lambda: world.host_of(size)),
            (comex.Error, "fence_proc: rank", lambda: world.fence(size)),
            (comex.Error, "lock", lambda: comex.Mutex(0, 0).lock()),
            (comex.Error, "barrier: group 977 does not exist", lambda: comex.Group(977).barrier())):
        raises(kind, words, call)
    world.barrier()
    require(a[...] == 1, "an array after refusals")
    world.barrier()
    a.free()


def check_mpi4py():
    from mpi4py import MPI
    half = world.split(me % 2)
    require(half.comm.allreduce(1) == half.size and half.comm.rank == half.rank, "the communicator of a half")
    require(world.comm.allgather(me) == list(range(size)), "the communicator of the world")
    raises(TypeError, "must be a communicator of mpi4py", lambda: comex.init(3))
    raises(ValueError, "COMM_NULL", lambda: comex.init(MPI.COMM_NULL))
    half.free()


what = sys.argv[1] if len(sys.argv) > 1 else ""
me, size = -1, 0
if what == "other":  # two orders
    import mpi4py
    mpi4py.rc.initialize = False
    if len(sys.argv) > 2:
        from mpi4py import MPI
        raises(ImportError, "two MPIs cannot work in one process", lambda: __import__("comex"))
        print("python_interface: other: ok")
        sys.exit(0)
import comex  # noqa: E402

if what == "comm":
    from mpi4py import MPI
    over = MPI.COMM_WORLD.Dup()
    runtime = comex.init(over)
    if not runtime:
        sys.exit(0)
else:
    raises(comex.Error, "", comex.barrier)  # before the start
    if what == "prints":
        sys.stdout.write("a process that will start; ")  # kept by Python on a terminal too
    runtime = comex.init()
world = comex.world()
me, size = world.rank, world.size
require(bool(runtime) and comex.initialized(), "a runtime that is on")
def fork_and_end():
    """A child ends as any program does, and leaves MPI and the runtime to its parent."""
    child = os.fork()
    if child == 0:
        sys.exit(0)
    require(os.waitpid(child, 0)[1] == 0, "a forked child ends")


if what == "hooks":  # by a hook that does not know of the one before it
    sys.excepthook = lambda kind, value, traceback: sys.stderr.write(f"{kind.__name__}: {value}\n")
if what in ("raises", "hooks"):
    if me == size - 1:
        raise KeyError("on purpose")
    comex.barrier()
if what == "leaves":
    with runtime:
        if me == 0:
            raise KeyError("on purpose")
        comex.barrier()
if what == "exits":
    with runtime:
        if me == 0:
            sys.exit(3 if len(sys.argv) > 2 else "no input")
        comex.barrier()
if what == "prompts":
    sys.ps1 = ">>> "
    if me == 0:
        code.InteractiveInterpreter().runsource("mistyped")
    comex.barrier()
    sys.exit(0)
if what == "other":
    raises(ImportError, "two MPIs cannot work in one process", lambda: world.comm)
for dtype in KINDS + ("uint8", "int16"):
    check_kind(dtype)
check_shapes()
check_overlap()
check_lifetime()
if what != "comm":  # mpi4py ends MPI in a child too
    fork_and_end()
check_sync()
check_groups()
check_refusals()
if what == "comm":
    check_mpi4py()
left, left_counter, left_group = comex.Array(3), comex.Counter(), world.split(0)
comex.finalize()
require(not comex.initialized(), "a runtime that has ended")
raises(ValueError, "the runtime that had the array has ended", lambda: left[0])
for use in (left_counter.fetch_add, left_counter.free):
    raises(ValueError, "its runtime has ended", use)
raises(ValueError, "the runtime that had the group has ended", lambda: left_group.rank)
if what != "comm":  # where the progress ranks have gone
    with comex.init() as again:
        group = again.split(0)
        require(group != left_group and repr(group) != repr(left_group), "a group of the second runtime")
        for use in (left_group.barrier, left_group.free, lambda: comex.Array(3, group=left_group)):
            raises(ValueError, "the runtime that had the group has ended", use)
        group.barrier()
        counter = comex.Counter()
        require(0 <= counter.fetch_add() < size, "a counter of the second runtime")
        raises(ValueError, "the runtime that had the array has ended", lambda: left.local)
        again.barrier()
if me == 0:
    print(f"python_interface: {size} workers: ok")
