#include "options.h"

#include <CLI/CLI.hpp>

namespace spgemm {

ParsedOptions parse_options(int argc, char** argv, bool speak) {
  ParsedOptions parsed;
  Options& options = parsed.options;
  CLI::App app{
      "Block-sparse matrix product C += A*B by one-sided communication, checked against a serial product."};
  auto* const file =
      app.add_option("FILE", options.a_file, "Matrix Market file; computes its square unless --b is given");
  app.add_option("-a,--a", options.a_file, "Matrix Market file of A (the same as FILE)")->excludes(file);
  app.add_option("-b,--b", options.b_file, "Matrix Market file of B (default: A)");
  app.add_option("--block", options.block, "rows and columns of a dense block")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--depth", options.depth, "steps whose blocks are held at a time; 1 fetches nothing ahead")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--batch", options.batch, "blocks of A in one task")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "adds the product so many times")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--copies", options.copies, "copies of all matrices that other hosts keep")
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  app.add_option(
         "--die-at", options.die_at,
         "worker 1 kills itself when so many percent of the tasks are drawn; the others finish without it "
         "with COMEX_ON_FAILURE=continue")
      ->check(CLI::Range(1, 100));
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
