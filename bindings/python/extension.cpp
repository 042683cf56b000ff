// comex._comex: the calls that the Python package is made of. It checks nothing that the runtime or the
// package checks.
//
// Memory of other ranks is a number, its address. Calls that may wait let go of Python's lock; failures throw
// comex::error, which is comex.Error in Python. The error mode of the process is COMEX_ERRORS_RETURN.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <comex/comex.hpp>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace py = pybind11;

namespace {

using address = std::uintptr_t;
using waits = py::call_guard<py::gil_scoped_release>;
constexpr std::size_t most_dimensions = COMEX_MAX_STRIDE_LEVEL;

template <class T>
T* at(address where) {
  return reinterpret_cast<T*>(where);
}

// -- Start and end --

bool started_mpi = false;

bool mpi_says(int (*question)(int*)) {
  int answer = 0;
  question(&answer);
  return answer != 0;
}

// On a progress rank the first does not return, and the second returns false once the workers have finalized.
void init() {
  if (mpi_says(MPI_Finalized)) comex::detail::fail({.name = "init"});
  const bool is_started = mpi_says(MPI_Initialized);
  comex::detail::check(comex_init(), {.name = "init"});
  if (!is_started) started_mpi = true;
}
bool init_over(address comm) {
  comex_set_errors(COMEX_ERRORS_ABORT);  // while errors end the job, a failure means a progress rank
  const bool is_worker = comex_init_comm(*at<MPI_Comm>(comm)) == COMEX_SUCCESS;
  comex_set_errors(COMEX_ERRORS_RETURN);
  return is_worker;
}
void end_mpi() {
  if (started_mpi && !mpi_says(MPI_Finalized)) MPI_Finalize();
}
std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int size = 0;
  MPI_Get_library_version(text.data(), &size);
  return {text.data(), static_cast<std::size_t>(size)};
}

// -- Groups --

comex_group_t create(std::vector<int> ranks, comex_group_t group) {
  comex_group_t made = COMEX_GROUP_NULL;
  comex::detail::check(comex_group_create(static_cast<int>(ranks.size()), ranks.data(), group, &made),
                       {.name = "group_create", .group = group});
  return made;
}
comex::group view(comex_group_t handle) {
  return comex::group::view(handle);
}
void store_comm(comex_group_t group, address comm) {
  *at<MPI_Comm>(comm) = view(group).comm();
}

// -- Memory --

std::vector<address> allocate(std::size_t bytes, comex_group_t group) {
  std::vector<void*> parts(static_cast<std::size_t>(view(group).size()));
  comex::detail::check(comex_malloc(parts.data(), bytes, group),
                       {.name = "malloc", .group = group, .bytes = bytes});
  std::vector<address> addresses;
  for (const void* part : parts) addresses.push_back(reinterpret_cast<address>(part));
  return addresses;
}
void release(address part, comex_group_t group) {
  comex::detail::check(comex_free(at<void>(part), group), {.name = "free", .group = group});
}

// Memory of the runtime for numpy, whose views keep this.
struct part {
  address first;
  std::size_t bytes;
};

// -- Transfers --

// A block of the memory of a rank, of as many dimensions as the array that it is moved from or to.
struct block {
  address first;
  std::vector<std::size_t> strides;  // in bytes
  int rank;
  comex_group_t group;
};

enum class what { put, get, accumulate };

// What is under way. It ends before the memory that it uses, which the package keeps.
struct pending {
  std::vector<comex::future<>> parts;

  pending() = default;
  pending(const pending&) = delete;
  pending& operator=(const pending&) = delete;
  ~pending() {  // by Python, with its lock, which is not to be held while this waits
    if (parts.empty()) return;
    const py::gil_scoped_release released;
    parts.clear();
  }

  bool is_done() {
    bool is_done = true;
    for (auto& part : parts) is_done = part.ready() && is_done;
    return is_done;
  }
  void wait() {
    for (auto& part : parts) part.settle();
    for (auto& part : parts) part.wait();
  }
};

template <class T>
struct both {
  comex::patch<T, most_dimensions> near;
  comex::global_patch<T, most_dimensions> far;
};
// An element of `size` bytes is one T, or a dimension of Ts.
template <class T>
both<T> sides(const py::array& array, const block& far) {
  std::array<std::size_t, most_dimensions> extents{};
  std::array<std::size_t, most_dimensions> near_strides{};
  std::array<std::size_t, most_dimensions> far_strides{};
  extents.fill(1);
  const auto rank = static_cast<std::size_t>(array.ndim());
  for (std::size_t d = 0; d < rank; ++d) {
    extents[d] = static_cast<std::size_t>(array.shape(static_cast<py::ssize_t>(d)));
    near_strides[d] = static_cast<std::size_t>(array.strides(static_cast<py::ssize_t>(d))) / sizeof(T);
    far_strides[d] = far.strides[d] / sizeof(T);
  }
  const auto size = static_cast<std::size_t>(array.itemsize());
  if (size != sizeof(T)) {
    extents[rank] = size / sizeof(T);
    near_strides[rank] = far_strides[rank] = 1;
  }
  T* const first = static_cast<T*>(const_cast<void*>(array.data()));
  return {{first, extents, near_strides}, {{at<T>(far.first), far.rank, far.group}, extents, far_strides}};
}

// Calls f with both sides as elements of a type of that size, or of bytes.
template <class F>
auto with_elements(const py::array& array, const block& far, F&& f) {
  switch (array.itemsize()) {
    case 2:
      return f(sides<std::uint16_t>(array, far));
    case 4:
      return f(sides<std::uint32_t>(array, far));
    case 8:
      return f(sides<std::uint64_t>(array, far));
    case 16:
      return f(sides<std::complex<double>>(array, far));
    default:
      return f(sides<std::uint8_t>(array, far));
  }
}

void put(const py::array& from, const block& to) {
  with_elements(from, to, [](const auto& both) {
    const py::gil_scoped_release released;
    comex::put(both.near, both.far);
  });
}
void get(const py::array& to, const block& from) {
  with_elements(to, from, [](const auto& both) {
    const py::gil_scoped_release released;
    comex::get(both.far, both.near);
  });
}
void begin_put(pending& under_way, const py::array& from, const block& to) {
  under_way.parts.push_back(with_elements(from, to, [](const auto& both) {
    const py::gil_scoped_release released;
    return comex::async_put(both.near, both.far);
  }));
}
void begin_get(pending& under_way, const py::array& to, const block& from) {
  under_way.parts.push_back(with_elements(to, from, [](const auto& both) {
    const py::gil_scoped_release released;
    return comex::async_get(both.far, both.near);
  }));
}

// The scale is an array of one element, of the type of the array.
template <class T>
bool accumulate_as(const py::array& from, const block& to, const py::array& scale, pending* under_way) {
  if (!from.dtype().is(py::dtype::of<T>()) && !from.dtype().equal(py::dtype::of<T>())) return false;
  const both<T> both = sides<T>(from, to);
  const T factor = *static_cast<const T*>(scale.data());
  const py::gil_scoped_release released;
  if (under_way == nullptr) {
    comex::accumulate(both.near, both.far, factor);
  } else {
    under_way->parts.push_back(comex::async_accumulate(both.near, both.far, factor));
  }
  return true;
}
void accumulate(const py::array& from, const block& to, const py::array& scale, pending* under_way) {
  const bool is_done =
      accumulate_as<int>(from, to, scale, under_way) || accumulate_as<long>(from, to, scale, under_way) ||
      accumulate_as<float>(from, to, scale, under_way) || accumulate_as<double>(from, to, scale, under_way) ||
      accumulate_as<std::complex<float>>(from, to, scale, under_way) ||
      accumulate_as<std::complex<double>>(from, to, scale, under_way);
  if (!is_done) throw py::type_error("accumulate: the type is none of those that accumulate");
}

}  // namespace

PYBIND11_MODULE(_comex, module) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  py::register_exception<comex::error>(module, "Error", PyExc_RuntimeError).doc() =
      "A call of the runtime has failed. The text is the line that it printed, if this process has printed "
      "it.";

  module.def("init", &init, waits());
  module.def("init_over", &init_over, waits());
  module.def(
      "finalize", [] { comex::detail::check(comex_finalize(), {.name = "finalize"}); }, waits());
  module.def("end_mpi", &end_mpi, waits());
  module.def("initialized", [] { return comex_initialized() != 0; });
  module.def("end_job", [](const std::string& text, int code) { comex_error(text.c_str(), code); });
  module.def("mpi_version", &mpi_version);
  module.def("progress", &comex::progress, waits());

  module.attr("WORLD") = COMEX_GROUP_WORLD;
  module.attr("SELF") = COMEX_GROUP_SELF;
  module.attr("NULL") = COMEX_GROUP_NULL;
  module.attr("UNDEFINED") = MPI_UNDEFINED;
  module.attr("MOST_DIMENSIONS") = most_dimensions;
  module.def("rank", [](comex_group_t group) { return view(group).rank(); });
  module.def("size", [](comex_group_t group) { return view(group).size(); });
  module.def("host_of", [](comex_group_t group, int rank) { return view(group).host_of(rank); });
  module.def("translate", [](comex_group_t from, int rank, comex_group_t to) {
    return view(from).translate(rank, view(to));
  });
  module.def("create", &create, waits());
  module.def(
      "split",
      [](comex_group_t group, int color, int key) { return view(group).split(color, key).release(); },
      waits());
  module.def(
      "free_group",
      [](comex_group_t group) {
        comex::detail::check(comex_group_free(group), {.name = "group_free", .group = group});
      },
      waits());
  module.def("store_comm", &store_comm);
  module.def(
      "barrier", [](comex_group_t group) { view(group).barrier(); }, waits());
  module.def(
      "fence_all", [](comex_group_t group) { view(group).fence(); }, waits());
  module.def(
      "fence", [](comex_group_t group, int rank) { view(group).fence(rank); }, waits());

  module.def("allocate", &allocate, waits());
  module.def("release", &release, waits());
  py::class_<part>(module, "Part", py::buffer_protocol())
      .def(py::init([](address first, std::size_t bytes) {
        return part{first, bytes};
      }))
      .def_buffer([](const part& of) {
        return py::buffer_info(at<std::uint8_t>(of.first), static_cast<py::ssize_t>(of.bytes));
      });

  py::class_<block>(module, "Block")
      .def(py::init([](address first, std::vector<std::size_t> strides, int rank, comex_group_t group) {
        return block{first, std::move(strides), rank, group};
      }));
  py::class_<pending>(module, "Pending")
      .def(py::init<>())
      .def("done", &pending::is_done, waits())
      .def("wait", &pending::wait, waits());
  module.def("put", &put);
  module.def("get", &get);
  module.def("accumulate", [](const py::array& from, const block& to, const py::array& scale) {
    accumulate(from, to, scale, nullptr);
  });
  module.def("begin_put", &begin_put);
  module.def("begin_get", &begin_get);
  module.def("begin_accumulate", [](pending& under_way, const py::array& from, const block& to,
                                    const py::array& scale) { accumulate(from, to, scale, &under_way); });
  module.def(
      "fetch_add",
      [](address word, long step, int rank, comex_group_t group) {
        return comex::fetch_add(comex::global_ptr<long>(at<long>(word), rank, group), step);
      },
      waits());

  module.def(
      "create_mutexes",
      [](int count) { comex::detail::check(comex_create_mutexes(count), {.name = "create_mutexes"}); },
      waits());
  module.def(
      "destroy_mutexes", [] { comex::detail::check(comex_destroy_mutexes(), {.name = "destroy_mutexes"}); },
      waits());
  module.def(
      "lock", [](int index, int owner) { return comex::mutex(index, owner).lock(); }, waits());
  module.def(
      "try_lock", [](int index, int owner) { return comex::mutex(index, owner).try_lock(); }, waits());
  module.def(
      "unlock", [](int index, int owner) { comex::mutex(index, owner).unlock(); }, waits());
}
