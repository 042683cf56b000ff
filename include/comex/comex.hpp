// comex.hpp: the interface of comex.h and extended.h for C++20, and of worlds.h what worlds, endpoints and
// inter-groups take; ids of processes and comparisons of groups are C calls. Header-only; a program links
// what a C program links, and includes this file alone.
//
// Conventions, beside those of comex.h:
// - A call that fails throws comex::error; the runtime has printed its line then. Arguments that are wrong
//   before any call is made throw the standard's std::invalid_argument, std::length_error or
//   std::out_of_range.
// - Counts, offsets and strides are in elements, never in bytes. Sizes have no limit but memory: what one C
//   call cannot carry is split into several. Only of pieces() each has less than 2 GiB.
// - Collective constructors and destructors are called by all members of the group in the same order. A
//   destructor that runs because an exception passes makes no collective call, since the other members may
//   not be in theirs. What it leaves is freed at the end of the runtime.
// - Objects that hold memory, groups, mutexes or operations may outlive the runtime, whose end frees what
//   they hold. After it they are destroyed or assigned to, and not used; where C ends a runtime, before
//   the next one starts. They move and do not copy.
//   Pointers, spans, patches and mutexes are values that own nothing.
// - Blocking forms: put, get, accumulate, and the atomics by their names. The forms async_... return futures.
// - Completion and order are those of docs/memory-model.md: a put or accumulate is there for others after a
//   fence of its target or a barrier.
#pragma once

#include <comex/cpp/array.hpp>
#include <comex/cpp/atomics.hpp>
#include <comex/cpp/concepts.hpp>
#include <comex/cpp/error.hpp>
#include <comex/cpp/future.hpp>
#include <comex/cpp/group.hpp>
#include <comex/cpp/patch.hpp>
#include <comex/cpp/pieces.hpp>
#include <comex/cpp/pointer.hpp>
#include <comex/cpp/runtime.hpp>
#include <comex/cpp/sync.hpp>
#include <comex/cpp/task.hpp>
#include <comex/cpp/transfer.hpp>
#include <comex/cpp/worlds.hpp>
