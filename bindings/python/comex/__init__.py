"""comex: one-sided communication between the workers of an MPI job, for numpy arrays.

    import comex

    with comex.init() as world:
        a = comex.Array((1000, 1000), "float64")     # rows are dealt to the workers in blocks
        a.local[:] = world.rank                      # the own rows, in place
        world.barrier()
        block = a[10:20, ::2]                        # anybody's rows, by one-sided gets
        a.accumulate(slice(0, 10), block.repeat(2, axis=1), alpha=0.5)
        world.barrier()

Started as any other program: comexrun -n 4 python3 program.py. A put or an accumulate is there for others after a fence
or a barrier.
"""
from comex._comex import Error
from comex._runtime import finalize, init, initialized, progress, world
from comex._group import Group
from comex._array import Array, Future
from comex._sync import Counter, Mutex, Mutexes


def barrier():
    """Collective over all workers: everybody's writes are there, and everybody has come."""
    world().barrier()


def fence(rank=None):
    """The caller's writes to a rank, or to all, are there for everybody."""
    world().fence(rank)


__all__ = ["Array", "Counter", "Error", "Future", "Group", "Mutex", "Mutexes", "barrier", "fence", "finalize", "init",
           "initialized", "progress", "world"]
