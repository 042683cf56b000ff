"""Distributed arrays."""
import array
import math
import operator
import sys
import weakref

import numpy

from comex import _comex
from comex import _runtime

_ACCUMULATE = tuple(numpy.dtype(name) for name in ("int32", "int64", "float32", "float64", "complex64", "complex128"))
_MOST_DIMENSIONS = _comex.MOST_DIMENSIONS - 1


class Future:
    """An operation under way, used by one thread at a time. It keeps what it moves alive; that is not to be changed until
    the operation is complete."""

    def __init__(self, kept, result=None):
        self._pending = _comex.Pending()
        self._kept = kept
        self._result = result
        self._failed = None
        _runtime.futures.add(self)

    def done(self):
        """Whether it is complete; makes progress and never waits."""
        if self._pending is None:
            _comex.initialized()  # serves others, as every call does
            return True
        return self._pending.done()

    def wait(self):
        """Waits, raises what has failed, and gives the array that a get has filled."""
        pending = self._pending
        if pending is None:
            _comex.initialized()
        else:
            try:
                pending.wait()
            except _comex.Error as error:
                self._failed = error
            self._pending = self._kept = None
        if self._failed is not None:
            raise self._failed
        return self._result


class Array:
    """An array whose rows, along the first axis, are dealt to the members of a group in blocks; rows(rank) tells which.
    Made and freed by all members together; its elements are not initialized.

    Indices are integers, slices with positive steps, and `...`, as with numpy's basic indexing.
    """

    def __init__(self, shape, dtype="float64", group=None):
        self.shape = _extents(shape)
        self.dtype = numpy.dtype(dtype)
        if self.dtype.hasobject or self.dtype.itemsize == 0 or self.dtype.subdtype is not None:
            raise TypeError(f"comex.Array: elements of type {self.dtype} have no bytes that others could use")
        if math.prod(max(extent, 1) for extent in self.shape) * self.dtype.itemsize > sys.maxsize:
            raise ValueError(f"comex.Array: the shape {self.shape} of {self.dtype} has more than {sys.maxsize} bytes")
        self.group = _runtime.group_of("comex.Array", group)
        self._rank, self._ranks = self.group.rank, self.group.size
        self._strides = [self.dtype.itemsize * math.prod(self.shape[d + 1:]) for d in range(len(self.shape))]
        mine = self.rows()
        self._bytes = (mine.stop - mine.start) * self._strides[0]
        self._parts = array.array("Q", _comex.allocate(self._bytes, self.group._handle))
        self._life = _runtime.life()
        self._view = lambda: None  # a weak reference to what views of the own part keep

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<comex.Array {self.shape} of {self.dtype} on {self._ranks} workers>"

    def rows(self, rank=None):
        """The rows of a rank, or of the caller, as a slice."""
        rank = self._rank if rank is None else operator.index(rank)
        if not 0 <= rank < self._ranks:
            raise IndexError(f"comex.Array: {rank} is no rank of the group; allowed are 0 to {self._ranks - 1}")
        return slice(self.shape[0] * rank // self._ranks, self.shape[0] * (rank + 1) // self._ranks)

    @property
    def local(self):
        """The own rows as a numpy array of the same memory, for loads and stores. It may outlive the array."""
        self._require_alive()
        shape = (self.rows().stop - self.rows().start,) + self.shape[1:]
        if self._bytes == 0:
            return numpy.empty(shape, self.dtype)
        part = self._view()
        if part is None:
            part = _comex.Part(self._parts[self._rank], self._bytes)
            self._view = weakref.ref(part)
        return numpy.ndarray(shape, self.dtype, buffer=part)

    def free(self):
        """Collective over the group. Refused while a view of `local` is in use. What is never freed ends with the runtime."""
        self._require_alive()
        if self._view() is not None:
            raise BufferError("comex.Array.free: a view of local is still in use; delete it first")
        parts, self._parts = self._parts, None
        _comex.release(parts[self._rank], self.group._handle)

    def __getitem__(self, index):
        region = self._region(index)
        found = numpy.empty(region.full, self.dtype)
        _move(_comex.get, _comex.begin_get, self._pieces(region, found))
        return found.reshape(region.shape)[()]

    def __setitem__(self, index, block):
        region = self._region(index)
        _move(_comex.put, _comex.begin_put, self._pieces(region, self._source("put", region, block)))

    def get(self, index, out):
        """a[index] into an array of the same shape and type."""
        region = self._region(index)
        found = self._destination(region, out)
        if self._may_overlap(region, found):
            out[...] = self[index]
        else:
            _move(_comex.get, _comex.begin_get, self._pieces(region, found))
        return out

    def accumulate(self, index, block, alpha=1):
        """a[index] += alpha * block, each element atomically among accumulates."""
        region, scale = self._region(index), self._scale(alpha)
        source = self._source("accumulate", region, block)
        _move(_comex.accumulate, _comex.begin_accumulate, self._pieces(region, source), scale)

    def get_async(self, index, out=None):
        """A future of a[index], or of `out`, which it fills."""
        region = self._region(index)
        if out is None:
            found = numpy.empty(region.full, self.dtype)
            out = found.reshape(region.shape)
        else:
            found = self._destination(region, out)
        future = Future((self, found), out)
        if self._may_overlap(region, found):
            out[...] = self[index]
            return future
        for near, far in self._pieces(region, found):
            _comex.begin_get(future._pending, near, far)
        return future

    def put_async(self, index, block):
        """a[index] = block, as a future: until it is done the block is not to be changed."""
        region = self._region(index)
        source = self._source("put", region, block)
        future = Future((self, source))
        for near, far in self._pieces(region, source):
            _comex.begin_put(future._pending, near, far)
        return future

    def accumulate_async(self, index, block, alpha=1):
        """accumulate, as a future."""
        region, scale = self._region(index), self._scale(alpha)
        source = self._source("accumulate", region, block)
        future = Future((self, source))
        for near, far in self._pieces(region, source):
            _comex.begin_accumulate(future._pending, near, far, scale)
        return future

    # What follows is not for programs.

    def _require_alive(self):
        if self._parts is None:
            raise ValueError("comex.Array: the array was freed")
        if self._life != _runtime.life():
            raise ValueError("comex.Array: the runtime that had the array has ended")

    def _region(self, index):
        self._require_alive()
        return _Region(index, self.shape)

    def _pieces(self, region, block):
        """The parts of a block of all dimensions that are of one rank, each with the place there."""
        if 0 in region.full:
            return []
        start, step, count = region.starts[0], region.steps[0], region.full[0]
        inner = sum(s * stride for s, stride in zip(region.starts[1:], self._strides[1:]))
        strides = [step * stride for step, stride in zip(region.steps, self._strides)]
        pieces, group = [], self.group._handle
        for rank in range(self._rank_of(start), self._rank_of(start + (count - 1) * step) + 1):
            rows = self.rows(rank)
            first = max(0, -((start - rows.start) // step))  # the first of the region that is not before the rows
            end = min(count, -((start - rows.stop) // step))
            if first < end:
                place = self._parts[rank] + (start + first * step - rows.start) * self._strides[0] + inner
                pieces.append((block[first:end], _comex.Block(place, strides, rank, group)))
        return pieces

    def _rank_of(self, row):
        """The last rank whose rows begin at this one or before: the rank that has it."""
        return (self._ranks * (row + 1) - 1) // self.shape[0]

    def _source(self, operation, region, block):
        """What is moved from, of all dimensions, in the array's type."""
        if operation == "accumulate" and self.dtype not in _ACCUMULATE:
            raise TypeError(f"comex.Array.accumulate: the array is of {self.dtype}; accumulate takes "
                            + ", ".join(str(dtype) for dtype in _ACCUMULATE))
        given = numpy.asarray(block)
        is_exact = isinstance(block, numpy.ndarray) and given.ndim > 0
        fits = given.dtype == self.dtype if is_exact else _fits(given, self.dtype)
        if not fits:
            raise TypeError(f"comex.Array: {operation} of {given.dtype} to an array of {self.dtype}; convert it by astype")
        if given.ndim == 0:
            return numpy.full(region.full, given, self.dtype)
        if given.shape != region.shape:
            raise ValueError(f"comex.Array: {operation} of a block of shape {given.shape} to a region of shape {region.shape}")
        given = region.with_all_axes(given.astype(self.dtype, copy=False))
        if self._may_overlap(region, given):
            return given.copy()
        return given if _is_regular(given) else numpy.ascontiguousarray(given)

    def _destination(self, region, out):
        if not isinstance(out, numpy.ndarray) or out.dtype != self.dtype:
            kind = out.dtype if isinstance(out, numpy.ndarray) else type(out).__name__
            raise TypeError(f"comex.Array: out is of {kind}; it must be a numpy array of {self.dtype}")
        if out.shape != region.shape:
            raise ValueError(f"comex.Array: out is of shape {out.shape}, the region of {region.shape}")
        found = region.with_all_axes(out)
        if not out.flags.writeable or not _is_regular(found):
            raise ValueError("comex.Array: out is read-only, or runs backwards")
        return found

    def _may_overlap(self, region, block):
        """Whether a block may lie in own rows of the region, where a move overwrites what it has still to read."""
        part, rows = self._view(), self.rows()
        first, last = region.starts[0], region.starts[0] + (region.full[0] - 1) * region.steps[0]
        return (part is not None and first < rows.stop and last >= rows.start
                and numpy.may_share_memory(block, numpy.frombuffer(part, "uint8")))

    def _scale(self, alpha):
        given = numpy.asarray(alpha)
        if given.ndim != 0 or not _fits(given, self.dtype):
            raise TypeError(f"comex.Array.accumulate: alpha is {alpha!r}; it must be a number of {self.dtype}")
        return given.astype(self.dtype).reshape(1)


def _move(call, begin, pieces, *scale):
    """Moves pieces to or from their ranks; several at a time, so that they wait for the slowest and not for each other."""
    if len(pieces) == 1:
        call(*pieces[0], *scale)
        return
    pending = _comex.Pending()
    try:
        for near, far in pieces:
            begin(pending, near, far, *scale)
    finally:
        pending.wait()


def _extents(shape):
    extents = tuple(operator.index(extent) for extent in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    if not 1 <= len(extents) <= _MOST_DIMENSIONS:
        raise ValueError(f"comex.Array: {len(extents)} dimensions; 1 to {_MOST_DIMENSIONS} are allowed")
    if min(extents) < 0:
        raise ValueError(f"comex.Array: the shape is {extents}; extents are 0 or more")
    return extents


def _fits(given, dtype):
    """Whether numbers become those of a type as numpy's "same_kind" has it, or are whole and lose nothing."""
    if given.dtype.kind in "bui" and dtype.kind in "ui":
        return bool((given.astype(dtype) == given).all())
    return numpy.can_cast(given.dtype, dtype, "same_kind")


def _is_regular(block):
    """Whether its strides are what the runtime takes: forwards, and whole elements."""
    return all(extent <= 1 or (stride > 0 and stride % block.itemsize == 0)
               for extent, stride in zip(block.shape, block.strides))


class _Region:
    """What an index selects: starts, steps and extents of all axes, and the shape without those that an integer selects."""

    def __init__(self, index, shape):
        index = index if isinstance(index, tuple) else (index,)
        given = sum(one is not Ellipsis for one in index)
        if len(index) - given > 1:
            raise IndexError("comex.Array: an index has at most one ...")
        if given > len(shape):
            raise IndexError(f"comex.Array: {given} indices; the array has {len(shape)} dimensions")
        if given == len(index):
            index += (Ellipsis,)
        at = next(i for i, one in enumerate(index) if one is Ellipsis)
        index = index[:at] + (slice(None),) * (len(shape) - given) + index[at + 1:]
        self.starts, self.steps, self.full, self._is_kept = [], [], [], []
        for axis, (one, extent) in enumerate(zip(index, shape)):
            start, step, count = _selected(one, extent, axis)
            self.starts.append(start)
            self.steps.append(step)
            self.full.append(count)
            self._is_kept.append(isinstance(one, slice))
        self.shape = tuple(count for count, is_kept in zip(self.full, self._is_kept) if is_kept)

    def with_all_axes(self, block):
        return block[tuple(slice(None) if is_kept else numpy.newaxis for is_kept in self._is_kept)]


def _selected(one, extent, axis):
    if isinstance(one, slice):
        start, stop, step = one.indices(extent)
        if step < 0:
            raise ValueError(f"comex.Array: the step {step} on axis {axis}; steps are positive")
        count = len(range(start, stop, step))
        return start, step if count > 1 else 1, count  # the step to nowhere may be more than any address
    if isinstance(one, (bool, numpy.bool_)) or not hasattr(one, "__index__"):
        raise TypeError(f"comex.Array: the index {one!r} on axis {axis}; indices are integers, slices and ...")
    place = operator.index(one)
    if not -extent <= place < extent:
        raise IndexError(f"comex.Array: the index {place} is out of range on axis {axis}, which has {extent}")
    return place % extent, 1, 1
