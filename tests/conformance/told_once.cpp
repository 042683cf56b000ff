// A refused call is told exactly once, whatever its verb, layout and completion are and however many messages
// it becomes: by the call, by the wait for it, or by the next fence.
#include <functional>
#include <utility>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

constexpr comex_group_t all = COMEX_GROUP_WORLD;
constexpr int rounds_of_telling = 4;

// Where the program's calls go: to the own memory directly, to it through its server, to another host.
struct Case {
  const char* name;
  int target;
  test::Environment environment;
};
void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

enum class Verb { put, get, acc };

// A vector call: so many descriptors of so many segments of so many bytes; those that are wrong begin here.
struct Shape {
  const char* name;
  int descriptors;
  int segments;
  int bytes;
  int first_wrong = 0;
  int step_bytes = 0;  // by which the segments of each descriptor are longer than those of the one before
};

class ToldOnce : public testing::TestWithParam<Case> {
 protected:
  ToldOnce() { comex_set_errors(COMEX_ERRORS_RETURN); }
  ~ToldOnce() override { comex_set_errors(COMEX_ERRORS_ABORT); }

  using Start = std::function<int(comex_request_t*, bool is_blocking)>;
  int target() const { return GetParam().target; }
  bool is_direct() const { return std::string_view(GetParam().name) == "directly"; }

  // Counts who says so, with two fences and a wait too many.
  void expect_told_once(const std::string& name, const std::function<int()>& call) {
    int told = 0;
    const auto ask = [&](int result) { told += result == COMEX_SUCCESS ? 0 : 1; };
    testing::internal::CaptureStderr();
    ask(call());
    ask(comex_fence_proc(target(), all));
    ask(comex_wait_proc(target(), all));
    ask(comex_fence_all(all));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(told, 1) << name;
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << name << " said\n" << said;
  }

  // In every way that a call may be completed.
  void expect_told_once(const std::string& name, const Start& start) {
    comex_request_t handle = 0;
    const auto began = [&] { return start(&handle, false) == COMEX_SUCCESS; };
    const auto tested = [&] {
      int status = 1;
      int told = 0;
      while (status != 0) told += comex_test(&handle, &status) == COMEX_SUCCESS ? 0 : 1;
      return told + (comex_wait(&handle) == COMEX_SUCCESS ? 0 : 1);
    };
    for (int round = 0; round < rounds_of_telling; ++round) {
      expect_told_once(name + ", blocking", [&] { return start(nullptr, true); });
      expect_told_once(name + ", waited for", [&] { return began() ? comex_wait(&handle) : COMEX_FAILURE; });
      expect_told_once(name + ", tested", [&] {
        const int told = began() ? tested() : 1;
        EXPECT_LE(told, 1) << name;
        return told == 0 ? COMEX_SUCCESS : COMEX_FAILURE;
      });
      expect_told_once(name + ", fenced", [&] { return start(nullptr, false); });
      expect_told_once(name + ", waited for by all", [&] {
        return start(nullptr, false) == COMEX_SUCCESS ? comex_wait_all(all) : COMEX_FAILURE;
      });
    }
  }

  int contiguous(Verb verb, char* far, int bytes, comex_request_t* handle, bool blocks) {
    char* const near = near_.data();
    const int to = target(), code = COMEX_ACC_LNG;
    switch (verb) {
      case Verb::put:
        return blocks ? comex_put(near, far, bytes, to, all) : comex_nbput(near, far, bytes, to, all, handle);
      case Verb::get:
        return blocks ? comex_get(far, near, bytes, to, all) : comex_nbget(far, near, bytes, to, all, handle);
      default:
        return blocks ? comex_acc(code, &one_, near, far, bytes, to, all)
                      : comex_nbacc(code, &one_, near, far, bytes, to, all, handle);
    }
  }
  // Rows of so many bytes, half of what lies between them.
  int strided(Verb verb, char* far, int bytes, int rows, comex_request_t* handle, bool blocks) {
    char* const near = near_.data();
    int n[] = {bytes}, f[] = {2 * bytes}, count[] = {bytes, rows};
    const int to = target(), code = COMEX_ACC_LNG;
    switch (verb) {
      case Verb::put:
        return blocks ? comex_puts(near, n, far, f, count, 1, to, all)
                      : comex_nbputs(near, n, far, f, count, 1, to, all, handle);
      case Verb::get:
        return blocks ? comex_gets(far, f, near, n, count, 1, to, all)
                      : comex_nbgets(far, f, near, n, count, 1, to, all, handle);
      default:
        return blocks ? comex_accs(code, &one_, near, n, far, f, count, 1, to, all)
                      : comex_nbaccs(code, &one_, near, n, far, f, count, 1, to, all, handle);
    }
  }
  int vector(Verb verb, const Shape& shape, comex_request_t* handle, bool blocks) {
    std::vector<std::vector<void*>> nears, fars;
    std::vector<comex_giov_t> pairs;
    int number = 0;
    for (int d = 0; d < shape.descriptors; ++d) {
      const int bytes = shape.bytes + d * shape.step_bytes;
      std::vector<void*> near, far;
      for (int s = 0; s < shape.segments; ++s, ++number) {
        near.push_back(near_.data() + s * bytes);
        far.push_back((number < shape.first_wrong ? there_ : beyond_) + s * bytes);
      }
      nears.push_back(std::move(near));
      fars.push_back(std::move(far));
      auto& from = verb == Verb::get ? fars.back() : nears.back();
      auto& to = verb == Verb::get ? nears.back() : fars.back();
      pairs.push_back({from.data(), to.data(), shape.segments, bytes});
    }
    const int count = shape.descriptors, to = target(), code = COMEX_ACC_LNG;
    switch (verb) {
      case Verb::put:
        return blocks ? comex_putv(pairs.data(), count, to, all)
                      : comex_nbputv(pairs.data(), count, to, all, handle);
      case Verb::get:
        return blocks ? comex_getv(pairs.data(), count, to, all)
                      : comex_nbgetv(pairs.data(), count, to, all, handle);
      default:
        return blocks ? comex_accv(code, &one_, pairs.data(), count, to, all)
                      : comex_nbaccv(code, &one_, pairs.data(), count, to, all, handle);
    }
  }

  static constexpr int there_bytes = 256 * 1024;
  Job job_{{0, 0, 1, 1}, GetParam().environment};
  char* there_ = job_.allocate<char>(target(), there_bytes);
  char* beyond_ = there_ + (16 << 20);
  std::vector<char> near_ = std::vector<char>(there_bytes, 1);
  long one_ = 1;
};

const std::pair<const char*, Verb> verbs[] = {{"put", Verb::put}, {"get", Verb::get}, {"acc", Verb::acc}};

TEST_P(ToldOnce, at_the_end_for_a_handle_that_nobody_waits_for) {
  comex_request_t handle = 0;
  if (contiguous(Verb::get, beyond_, 100'000, &handle, false) != COMEX_SUCCESS) return;  // told by the call
  EXPECT_EQ(comex_fence_all(all), COMEX_SUCCESS) << "a wait could still tell";
  job_.expect_failure_at_the_end();
}

TEST_P(ToldOnce, of_contiguous_and_strided_calls) {
  for (const auto& [name, verb] : verbs) {
    for (const int bytes : {8, 1000, 5000, 40'000}) {
      expect_told_once(name + (" of " + std::to_string(bytes)), [&, v = verb](auto* handle, bool blocks) {
        return contiguous(v, beyond_, bytes, handle, blocks);
      });
    }
    for (const int rows : {3, 100, 600}) {
      expect_told_once(
          name + (" of rows, " + std::to_string(rows)),
          [&, v = verb](auto* handle, bool blocks) { return strided(v, beyond_, 40, rows, handle, blocks); });
    }
  }
}

TEST_P(ToldOnce, of_vector_calls) {
  const Shape shapes[] = {{"one message", 1, 3, 8},
                          {"small segments in many messages", 1, 1000, 64},
                          {"the last of small segments", 1, 1000, 64, 999},
                          {"half of small segments", 1, 1000, 64, 500},
                          {"medium segments", 1, 60, 1000},
                          {"large segments, each of its own", 1, 8, 4000},
                          {"large segments with bodies", 1, 6, 20'000, 2},
                          {"descriptors of one segment", 1000, 1, 64, 999},
                          {"descriptors of all sizes", 100, 1, 8, 99, 40},
                          {"small and large segments", 3, 50, 64, 0, 2400},
                          {"large segments behind good ones", 2, 8, 3000, 8, 3000}};
  for (const auto& [name, verb] : verbs) {
    for (const Shape& shape : shapes) {
      expect_told_once(std::string(name) + " of a vector of " + shape.name,
                       [&, v = verb](auto* handle, bool blocks) { return vector(v, shape, handle, blocks); });
      if (!is_direct()) continue;
      EXPECT_EQ(std::ranges::count(there_, there_ + there_bytes, 0), there_bytes) << shape.name;
    }
  }
}

TEST_P(ToldOnce, of_words_signals_and_mutexes) {
  long old = 0;
  expect_told_once("rmw", [&](comex_request_t* handle, bool blocks) {
    return blocks ? comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, beyond_, 1, target(), all)
                  : comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, beyond_, 1, target(), all, handle);
  });
  auto* const wrong = reinterpret_cast<long*>(beyond_);
  auto* const right = reinterpret_cast<long*>(there_);
  job_.create_mutexes(1);
  for (int round = 0; round < rounds_of_telling; ++round) {
    for (const int bytes : {0, 8, 3912, 5000, 40'000}) {
      const std::string size = std::to_string(bytes);
      expect_told_once("put_signal of " + size + " with a wrong word", [&] {
        return comex_put_signal(near_.data(), there_ + 64, bytes, wrong, 1, target(), all);
      });
      EXPECT_EQ(std::ranges::count(there_ + 64, there_ + 64 + bytes, 0), bytes) << "data of " << bytes;
      if (bytes == 0) continue;
      expect_told_once("put_signal of " + size + " with wrong data", [&] {
        return comex_put_signal(near_.data(), beyond_, bytes, right, 1, target(), all);
      });
      EXPECT_EQ(*right, 0);
      expect_told_once("put_signal of " + size + ", all of it wrong", [&] {
        return comex_put_signal(near_.data(), beyond_ + 64, bytes, wrong, 1, target(), all);
      });
    }
    int acquired = 0;
    expect_told_once("lock", [&] { return comex_lock(7, target()); });
    expect_told_once("trylock", [&] { return comex_trylock(7, target(), &acquired); });
    expect_told_once("unlock of none", [&] { return comex_unlock(7, target()); });
    expect_told_once("unlock of one that is free", [&] { return comex_unlock(0, target()); });
  }
}

TEST_P(ToldOnce, also_where_an_unlock_is_refused_before_the_fence) {
  job_.create_mutexes(1);
  testing::internal::CaptureStderr();
  const bool call_tells = contiguous(Verb::put, beyond_, 8, nullptr, false) != COMEX_SUCCESS;
  EXPECT_EQ(comex_unlock(0, target()), COMEX_FAILURE);
  EXPECT_NE(comex_fence_proc(target(), all) != COMEX_SUCCESS, call_tells) << "of the put";
  EXPECT_EQ(comex_fence_all(all), COMEX_SUCCESS);
  EXPECT_EQ(std::ranges::count(testing::internal::GetCapturedStderr(), '\n'), 2);
}

const Case cases[] = {
    {"directly", 0, {{"COMEX_CHUNK_BYTES", "16k"}}},
    {"through_its_server",
     0,
     {{"COMEX_CHUNK_BYTES", "16k"},
      {"COMEX_ENABLE_PUT_SELF", "0"},
      {"COMEX_ENABLE_GET_SELF", "0"},
      {"COMEX_ENABLE_ACC_SELF", "0"}}},
    {"to_another_host", 1, {{"COMEX_CHUNK_BYTES", "16k"}}},
    {"to_another_host_in_small_chunks", 1, {{"COMEX_CHUNK_BYTES", "4k"}, {"COMEX_SERVER_BUFFER", "64k"}}}};
INSTANTIATE_TEST_SUITE_P(Reached, ToldOnce, testing::ValuesIn(cases),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace comex::whole
