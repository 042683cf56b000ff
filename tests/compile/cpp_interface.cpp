// What comex.hpp takes and what it refuses, as the compiler sees it: requirements are asked, so that a wrong
// type would not compile with a line that names the concept. Linked too; it runs without a launcher.
#include <comex/comex.hpp>

#include <array>
#include <complex>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Plain {
  double x;
  int y[3];
};
struct Owner {
  std::vector<int> owned;
};
enum class Color : short { red };

template <class T>
using at = comex::global_ptr<T>;

template <class T>
concept put_takes = requires(const T& value, at<T> there) {
  comex::put(value, there);
};
template <class T>
concept put_takes_span = requires(std::span<const T> near, comex::global_span<T> there) {
  comex::put(near, there);
  comex::async_put(near, there);
};
template <class T>
concept get_takes = requires(at<T> there) {
  comex::get(there);
  comex::async_get(there);
};
template <class T>
concept accumulate_takes = requires(const T& value, at<T> there) {
  comex::accumulate(value, there);
};
template <class T>
concept fetch_add_takes = requires(at<T> there) {
  comex::fetch_add(there, T(1));
};
template <class T>
concept fetch_or_takes = requires(at<T> there) {
  comex::fetch_or(there, T(1));
  comex::async_atomic_xor(there, T(1));
};
template <class T, comex::operation how>
concept combines = requires(std::span<const T> near, at<T> there) {
  comex::accumulate<how>(near, there);
  comex::async_accumulate<how>(near, there);
};
template <class T>
concept compare_swap_takes = requires(at<T> there) {
  comex::compare_swap(there, T(1), T(2));
};
template <class T>
concept array_holds = requires {
  typename comex::array<T>;
};
template <class T>
concept put_takes_patch = requires(comex::patch<T, 2> near, comex::global_patch<T, 2> there) {
  comex::put(near, there);
};
template <class T>
concept accumulate_takes_patch = requires(comex::patch<T, 2> near, comex::global_patch<T, 2> there) {
  comex::accumulate(near, there);
};
template <class T>
concept async_put_takes_a_temporary = requires(at<T> there) {
  comex::async_put(T(1), there);
};
template <class T>
concept async_put_takes_a_variable = requires(T value, at<T> there) {
  comex::async_put(value, there);
};
template <class From, class To>
concept copies = requires(From near, To there) {
  comex::put(near, there);
};

template <class From>
concept signal_takes = requires(From&& near, at<double> there, at<long> word) {
  comex::async_put_signal(std::forward<From>(near), there, word, 1);
};
static_assert(!signal_takes<std::vector<double>> && signal_takes<std::span<const double>>);
static_assert(put_takes<int> && put_takes<Plain> && put_takes<Color> && put_takes<std::complex<float>>);
static_assert(put_takes_span<char> && put_takes_patch<long> && array_holds<Plain>);
static_assert(!put_takes<std::string> && !put_takes<Owner> && !put_takes<std::vector<int>>);
static_assert(!put_takes_span<std::string> && !put_takes_patch<std::string> && !array_holds<std::string>);
static_assert(!array_holds<const int> && !put_takes<volatile int>);
static_assert(get_takes<int> && get_takes<const Plain> && !get_takes<std::string> && !get_takes<Owner>);
static_assert(!copies<int, at<const int>> && !copies<std::vector<int>, comex::global_span<const int>>);
static_assert(!copies<std::vector<float>, comex::global_span<double>>);
static_assert(copies<std::vector<float>, comex::global_span<float>> && copies<std::string, at<char>>);

static_assert(accumulate_takes<int> && accumulate_takes<long> && accumulate_takes<float>);
static_assert(accumulate_takes<double> && accumulate_takes<std::complex<float>>);
static_assert(accumulate_takes<std::complex<double>> && accumulate_takes_patch<double>);
static_assert(!accumulate_takes<short> && !accumulate_takes<unsigned> && !accumulate_takes<char>);
static_assert(!accumulate_takes<Plain> && !accumulate_takes<long double> && !accumulate_takes_patch<short>);
static_assert(!accumulate_takes<const double>);

static_assert(fetch_add_takes<int> && fetch_add_takes<long> && compare_swap_takes<long>);
static_assert(fetch_add_takes<unsigned> && fetch_add_takes<unsigned long> && fetch_add_takes<long long>);
static_assert(fetch_add_takes<float> && fetch_add_takes<double> && compare_swap_takes<float>);
static_assert(!fetch_add_takes<short> && !fetch_add_takes<char32_t> && !fetch_add_takes<bool>);
static_assert(!fetch_add_takes<const int> && !fetch_add_takes<long double> && !fetch_add_takes<Color>);
static_assert(fetch_or_takes<int> && fetch_or_takes<unsigned long> && !fetch_or_takes<double>);
static_assert(!fetch_or_takes<float> && !fetch_or_takes<short>);

using comex::operation;
static_assert(combines<int, operation::bit_xor> && combines<long, operation::max>);
static_assert(combines<double, operation::min> && combines<float, operation::product>);
static_assert(combines<std::complex<float>, operation::replace> &&
              combines<std::complex<double>, operation::product>);
static_assert(!combines<double, operation::bit_and> && !combines<float, operation::bit_or>);
static_assert(!combines<std::complex<float>, operation::min> && !combines<unsigned, operation::sum>);
static_assert(!combines<std::complex<double>, operation::max> && !combines<short, operation::replace>);

static_assert(async_put_takes_a_variable<long> && !async_put_takes_a_temporary<long>);

template <class From>
concept async_takes = requires(at<double> there, comex::global_span<double> span) {
  comex::async_put(std::declval<From>(), there);
  comex::async_put(std::declval<From>(), span);
  comex::async_accumulate(std::declval<From>(), there, 2.0);
  comex::async_accumulate(std::declval<From>(), span);
  comex::async_accumulate<comex::operation::max>(std::declval<From>(), there);
};
template <class From>
concept async_takes_any = requires(at<double> there) {
  comex::async_put(std::declval<From>(), there);
}
|| requires(at<double> there) {
  comex::async_accumulate(std::declval<From>(), there);
}
|| requires(at<double> there) {
  comex::async_accumulate<comex::operation::max>(std::declval<From>(), there);
};
static_assert(async_takes<std::vector<double>&> && async_takes<const std::array<double, 4>&>);
static_assert(async_takes<std::span<double>> && async_takes<std::span<const double>>);
static_assert(!async_takes_any<std::vector<double>> && !async_takes_any<std::array<double, 4>>);

// Pointers to const come from others and do not become others.
static_assert(std::is_convertible_v<at<int>, at<const int>> &&
              !std::is_convertible_v<at<const int>, at<int>>);
static_assert(!std::is_convertible_v<at<int>, at<long>> && !std::is_convertible_v<at<int>, bool>);
static_assert(std::is_convertible_v<comex::patch<int, 2>, comex::patch<const int, 2>>);
static_assert(!std::is_convertible_v<comex::patch<int, 2>, comex::patch<int, 1>>);
struct Wider : Plain {
  int more;
};
static_assert(!std::is_convertible_v<comex::patch<Wider, 1>, comex::patch<const Plain, 1>>);

// What owns moves and does not copy; what owns nothing may be sent itself.
template <class T>
inline constexpr bool is_owner = std::is_nothrow_move_constructible_v<T> && !std::is_copy_constructible_v<T>;
static_assert(is_owner<comex::runtime> && is_owner<comex::group> && is_owner<comex::array<int>>);
static_assert(is_owner<comex::future<>> && is_owner<comex::future<long>> && is_owner<comex::task<int>>);
static_assert(is_owner<comex::mutexes> && is_owner<comex::inter_group> && is_owner<comex::buffer<int>>);
static_assert(comex::transferable<at<int>> && comex::transferable<comex::mutex> && sizeof(at<int>) == 16);

static_assert(comex::future_like<comex::future<int>> && !comex::future_like<int>);
using All = decltype(comex::when_all(std::declval<comex::future<int>>(), std::declval<comex::future<>>()));
static_assert(std::is_same_v<All::value_type, std::tuple<int, std::monostate>>);
static_assert(
    std::is_same_v<decltype(std::declval<comex::future<int>>().then([](int) {}))::value_type, void>);

constexpr int elements[6]{};
constexpr comex::patch<const int, 2> table(elements, {2, 3});
static_assert(table.strides() == std::array<std::size_t, 2>{3, 1} && table.size() == 6);
static_assert(table.sub({1, 1}, {1, 2}).first() == elements + 4);

// A call without a runtime: the line, and an exception that says which operation it was.
bool is_refused_without_a_runtime() {
  comex_set_errors(COMEX_ERRORS_RETURN);
  try {
    comex::put(1L, at<long>(nullptr, 3));
  } catch (const comex::error& refused) {
    return std::string_view(refused.what()).ends_with(": put: called before comex_init") &&
           std::string_view(refused.operation()) == "put" && refused.target() == 3;
  }
  return false;
}

}  // namespace

int main() {
  std::unique_lock<comex::mutex> is_lockable;
  return is_refused_without_a_runtime() && !is_lockable.owns_lock() ? 0 : 1;
}
