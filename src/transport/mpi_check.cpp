#include "transport/mpi_check.h"

#include <string>

namespace comex::transport {

void MpiCheck::let_errors_return(MPI_Comm wire) const {
  (*this)(PMPI_Comm_set_errhandler(wire, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void MpiCheck::fail(int code, const char* call) const {
  char words[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (PMPI_Error_string(code, words, &length) != MPI_SUCCESS) length = 0;
  std::string text = std::string(call) + " failed with MPI error " + std::to_string(code);
  if (length > 0) text += ": " + std::string(words, static_cast<std::size_t>(length));
  const Failure failure = environment_error(std::move(text));
  on_failure_(failure);
  bug(__FILE__, __LINE__, failure.text.c_str());  // reached only if the handler returns, which it must not
}

}  // namespace comex::transport
