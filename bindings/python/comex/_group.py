"""Groups of workers."""
from comex import _comex
from comex import _mpi4py
from comex import _runtime

_OF_EVERY_RUNTIME = (_comex.WORLD, _comex.SELF, _comex.NULL)


class Group:
    """A group of workers, whose ranks count from 0. world(), create() and split() make groups; free() ends one that was
    made, and so does the end of a with-block. A process outside a group that it helped to make has a false one."""

    def __init__(self, handle):
        self._number = handle
        self._life = None if handle in _OF_EVERY_RUNTIME else _runtime.life()

    def __bool__(self):
        return self._number != _comex.NULL

    def __eq__(self, other):
        return isinstance(other, Group) and (self._number, self._life) == (other._number, other._life)

    def __hash__(self):
        return hash((self._number, self._life))

    def __repr__(self):
        if not self:
            return "<comex.Group: none>"
        if self._is_over():
            return f"<comex.Group {self._number}: its runtime has ended>"
        return f"<comex.Group {self._number}: rank {self.rank} of {self.size}>"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.free()

    @property
    def rank(self):
        """The caller's rank, or -1 outside."""
        return _comex.rank(self._handle)

    @property
    def size(self):
        return _comex.size(self._handle)

    @property
    def comm(self):
        """The members' communicator, of mpi4py. It is the runtime's and lives as long as the group."""
        mpi = _mpi4py.mpi()
        comm = mpi.Intracomm()
        _comex.store_comm(self._handle, mpi._addressof(comm))
        return comm

    def host_of(self, rank):
        """The number of a rank's host. Ranks of one number share memory."""
        return _comex.host_of(self._handle, rank)

    def translate(self, rank, to):
        """The rank in the group `to`, or None if it is no member there."""
        there = _comex.translate(self._handle, rank, to._handle)
        return None if there == _comex.UNDEFINED else there

    def create(self, ranks):
        """Collective over the ranks named, in the order of the new ranks. Others may call it, and get a false group."""
        return Group(_comex.create([int(rank) for rank in ranks], self._handle))

    def split(self, color, key=0):
        """Collective. Members of one color (>= 0) form a group, ordered by key, then by rank; None: none."""
        return Group(_comex.split(self._handle, _comex.UNDEFINED if color is None else color, key))

    def free(self):
        """Collective over the group. It does nothing to the world."""
        if self._number not in _OF_EVERY_RUNTIME:
            handle, self._number, self._life = self._handle, _comex.NULL, None
            _comex.free_group(handle)

    def barrier(self):
        """Collective: everybody's writes are there, and everybody has come."""
        _comex.barrier(self._handle)

    def fence(self, rank=None):
        """The caller's writes to a rank, or to all members, are there for everybody."""
        if rank is None:
            _comex.fence_all(self._handle)
        else:
            _comex.fence(self._handle, _runtime.integer("comex.fence: rank", rank))

    # What follows is not for programs.

    def _is_over(self):
        return self._life is not None and self._life != _runtime.life()

    @property
    def _handle(self):
        """Its number in the runtime; a later one has the same numbers for other groups."""
        if self._is_over():
            raise ValueError("comex.Group: the runtime that had the group has ended")
        return self._number
