#include "screen.h"

#include <ncurses.h>

#include <algorithm>
#include <chrono>

namespace comex::top {

Screen::Screen() {
  initscr();
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  curs_set(0);
}

Screen::~Screen() {
  endwin();
}

std::size_t Screen::width() const {
  return static_cast<std::size_t>(std::max(getmaxx(stdscr), 20));
}

void Screen::show(const std::vector<std::string>& lines) {
  lines_ = lines;
  first_ = std::min(first_, lines.empty() ? 0 : lines.size() - 1);
  draw();
}

void Screen::draw() const {
  erase();
  const auto rows = static_cast<std::size_t>(std::max(getmaxy(stdscr), 1));
  for (std::size_t row = 0; row < rows && first_ + row < lines_.size(); ++row) {
    const bool is_title = first_ + row == 0;
    if (is_title) attron(A_BOLD);
    mvaddnstr(static_cast<int>(row), 0, lines_[first_ + row].c_str(), getmaxx(stdscr));
    if (is_title) attroff(A_BOLD);
  }
  refresh();
}

bool Screen::wait_for_end(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    timeout(static_cast<int>(std::min<long long>(left, 1000)));
    const int key = getch();
    if (key == 'q' || key == 'Q') return true;
    if (key == KEY_DOWN && first_ + 1 < lines_.size()) ++first_;
    if (key == KEY_UP && first_ > 0) --first_;
    if (key != ERR) draw();
  }
}

}  // namespace comex::top
