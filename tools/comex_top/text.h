// Numbers and tables as text, for the screen and for --once.
#pragma once

#include <string>
#include <vector>

#include "view.h"

namespace comex::top {

std::string amount_text(double value);  // 1234567 -> "1.23M"
std::string bytes_text(double bytes);   // in powers of 1024

// The lines of a view, none longer than `width`.
std::vector<std::string> lines_of(const JobView& view, const Matrix& matrix, std::size_t width);

}  // namespace comex::top
