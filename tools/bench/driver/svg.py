"""Plots as inline SVG: log-log curves, and bars around 1. Colours are classes, so that the page's theme decides."""
import math
from html import escape

WIDTH, HEIGHT = 360, 250
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 32


def decades(low, high):
    """The powers of ten around the values."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return first, max(last, first + 1)


def time_label(exponent):
    """Of ten to the so-many nanoseconds."""
    return {0: "1 ns", 3: "1 µs", 6: "1 ms", 9: "1 s"}.get(exponent, "")


def size_label(size):
    return f"{size >> 20}M" if size >= 1 << 20 else f"{size >> 10}K" if size >= 1 << 10 else str(size)


def percent_label(exponent):
    return f"{10.0 ** exponent:g} %"


class Axes:
    """From bytes, or values of a setting, and nanoseconds, or percents, to places on the plot; both logarithmic, but
    for values of which one is 0: these stand in order."""

    def __init__(self, sizes, times, y_label=time_label, x_name="bytes"):
        self.sizes = sorted(set(sizes))
        self.first, self.last = decades(min(times), max(times))
        self.y_label, self.x_name = y_label, x_name

    def x_labels(self):
        if self.x_name != "bytes":
            return [(value, f"{value:,}") for value in self.sizes]
        # Every other size, so that labels do not touch.
        return [(s, size_label(s)) for s in self.sizes if s & (s - 1) == 0 and int(math.log2(s)) % 6 == 3]

    def x(self, size):
        place = math.log2 if self.sizes[0] > 0 else self.sizes.index
        low, high = place(self.sizes[0]), place(self.sizes[-1])
        return LEFT + (place(size) - low) / max(high - low, 1) * (WIDTH - LEFT - RIGHT)

    def y(self, time):
        share = (math.log10(time) - self.first) / (self.last - self.first)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def grid(self):
        parts = []
        for exponent in range(self.first, self.last + 1):
            y = self.y(10.0 ** exponent)
            parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            if self.y_label(exponent):
                parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">'
                             f'{self.y_label(exponent)}</text>')
        for size, label in self.x_labels():
            parts.append(f'<text class="tick" x="{self.x(size):.1f}" y="{HEIGHT - BOTTOM + 16}" '
                         f'text-anchor="middle">{label}</text>')
        parts.append(f'<text class="tick" x="{WIDTH - RIGHT}" y="{HEIGHT - 3}" text-anchor="end">'
                     f'{escape(self.x_name)}</text>')
        return "".join(parts)


def curve(axes, name, points):
    """`points`: (size, low, median, high), drawn as a band of the quartiles, a line and dots."""
    line = " ".join(f"{axes.x(s):.1f},{axes.y(m):.1f}" for s, _, m, _ in points)
    band = [f"{axes.x(s):.1f},{axes.y(h):.1f}" for s, _, _, h in points]
    band += [f"{axes.x(s):.1f},{axes.y(l):.1f}" for s, l, _, _ in reversed(points)]
    dots = "".join(f'<circle cx="{axes.x(s):.1f}" cy="{axes.y(m):.1f}" r="2.6">'
                   f'<title>{escape(name)}, {s:,} {escape(axes.x_name)}: {m:,.1f}</title></circle>' for s, _, m, _ in points)
    return f'<polygon class="band" points="{" ".join(band)}"/><polyline points="{line}"/>{dots}'


def log_curves(label, series, **names):
    """`series`: (name, class, points) each. One plot, read aloud as `label`; `names` are those of Axes."""
    points = [p for _, _, each in series for p in each]
    axes = Axes([p[0] for p in points], [t for p in points for t in p[1:]], **names)
    drawn = "".join(f'<g class="series {cls}">{curve(axes, name, each)}</g>' for name, cls, each in series if each)
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{axes.grid()}{drawn}</svg>')


def ratio_bar(ratio, widest):
    """From the middle, 1, to the right for `ratio` > 1 and to the left below; on a log scale up to `widest`."""
    share = max(-1.0, min(1.0, math.log(ratio) / math.log(widest)))
    length, height = abs(share) * 100, 12
    x = 100 if share >= 0 else 100 - length
    cls = "ahead" if ratio >= 1 else "behind"
    return (f'<svg class="bar" viewBox="0 0 200 {height}" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="{cls}" x="{x:.2f}" y="1" width="{max(length, 0.6):.2f}" height="{height - 2}"/>'
            f'<line class="axis" x1="100" x2="100" y1="0" y2="{height}"/></svg>')
