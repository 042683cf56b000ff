#include "options.h"

#include <CLI/CLI.hpp>

namespace spgemm {
namespace {

// CLI11 would take what begins with one as octal.
std::string without_leading_zeros(const std::string& number) {
  const bool is_decimal = number.find_first_not_of("0123456789") == std::string::npos;
  const std::size_t zeros = number.find_first_not_of('0');
  if (!is_decimal || number.empty()) return number;
  return zeros == std::string::npos ? "0" : number.substr(zeros);
}

}  // namespace

ParsedOptions parse_options(int argc, char** argv, bool speak) {
  ParsedOptions parsed;
  Options& options = parsed.options;
  CLI::App app{
      "Block-sparse matrix product C += A*B by one-sided communication, checked against a serial product."};
  auto* const file =
      app.add_option("FILE", options.a_file, "Matrix Market file; computes its square unless --b is given");
  app.add_option("-a,--a", options.a_file, "Matrix Market file of A (the same as FILE)")->excludes(file);
  app.add_option("-b,--b", options.b_file, "Matrix Market file of B (default: A)");
  const auto number = [&app](const char* name, auto& value, const char* what, const CLI::Range& range) {
    return app.add_option(name, value, what)->transform(without_leading_zeros)->check(range);
  };
  number("--block", options.block, "rows and columns of a dense block", CLI::Range(1, 1024))
      ->capture_default_str();
  number("--depth", options.depth, "steps whose blocks are held at a time; 1 fetches nothing ahead",
         CLI::Range(1, 64))
      ->capture_default_str();
  number("--batch", options.batch, "blocks of A in one task", CLI::Range(1, 1 << 20))->capture_default_str();
  number("--repeat", options.repeat, "adds the product so many times", CLI::Range(1, 1 << 20))
      ->capture_default_str();
  number("--copies", options.copies, "copies of all matrices that other hosts keep", CLI::Range(0, 7))
      ->capture_default_str();
  number("--die-at", options.die_at,
         "worker 1 kills itself when so many percent of the tasks are drawn; the others finish without it "
         "with COMEX_ON_FAILURE=continue",
         CLI::Range(1, 100));
  try {
    app.parse(argc, argv);
    if (options.a_file.empty()) throw CLI::RequiredError("FILE");
  } catch (const CLI::ParseError& error) {
    parsed.run = false;
    parsed.status = error.get_exit_code() == 0 ? 0 : 2;
    if (speak) app.exit(error);
  }
  return parsed;
}

}  // namespace spgemm
