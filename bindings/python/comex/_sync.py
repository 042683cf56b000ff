"""Counters and mutexes."""
from comex import _comex
from comex import _runtime


class Counter:
    """A number on one rank that all members of a group draw from, such as the number of the next task. Made and freed by
    all of them together."""

    def __init__(self, group=None, first=0, root=0):
        self._group = _runtime.group_of("comex.Counter", group)
        root, first = _runtime.integer("comex.Counter: root", root), _runtime.integer("comex.Counter: first", first, 64)
        if not 0 <= root < self._group.size:
            raise ValueError(f"comex.Counter: the root {root} is no rank of the group; allowed are 0 to {self._group.size - 1}")
        self._root = root
        self._life = _runtime.life()
        is_root = self._group.rank == root
        addresses = _comex.allocate(8 if is_root else 0, self._group._handle)
        self._word, self._mine = addresses[root], addresses[self._group.rank]
        if is_root:
            memoryview(_comex.Part(self._word, 8)).cast("l")[0] = first
        self._group.barrier()

    def fetch_add(self, step=1):
        """The value, which is higher by `step` afterwards, at once for all."""
        self._check()
        step = _runtime.integer("comex.Counter: step", step, 64)
        return _comex.fetch_add(self._word, step, self._root, self._group._handle)

    def free(self):
        """Collective over the group."""
        if self._word:
            self._check()
            self._word = 0
            _comex.release(self._mine, self._group._handle)

    def _check(self):
        if not self._word or self._life != _runtime.life():
            raise ValueError("comex.Counter: the counter was freed, or its runtime has ended")


class Mutexes:
    """The mutexes of all workers: each brings `count` of its own. Made and destroyed by all workers together, one set at a
    time. mutexes[index, owner] is one of them; the owner is a rank of the world."""

    def __init__(self, count=1):
        _comex.create_mutexes(count)

    def __getitem__(self, place):
        index, owner = place
        return Mutex(index, owner)

    def destroy(self):
        _comex.destroy_mutexes()


class Mutex:
    """Mutex number `index` of the worker `owner`. It is fair and not recursive. The end of a with-block fences the caller's
    writes and unlocks; unlock() alone fences nothing."""

    def __init__(self, index, owner):
        self.index, self.owner = index, owner

    def lock(self):
        """True if it was taken over from a worker that died with it: what it guards may be half updated."""
        return _comex.lock(self.index, self.owner)

    def try_lock(self):
        """Whether it is locked now. Never waits."""
        return _comex.try_lock(self.index, self.owner)

    def unlock(self):
        _comex.unlock(self.index, self.owner)

    def __enter__(self):
        self.lock()
        return self

    def __exit__(self, kind, value, traceback):
        try:
            _runtime.world().fence()
        finally:
            self.unlock()
