"""tools/lib/dead_links.py finds what it should in a small site, and nothing else."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))
from dead_links import dead  # noqa: E402

SITE = {
    "index.html": '<h1 id="top">A</h1><a href="below/b.html#here">b</a> <a href="#top">t</a> <a href="https://x.org/">x</a>',
    "below/b.html": '<h2 id="here">B</h2><a href="../index.html">a</a><img src="data:image/png;base64,AA==">',
}
WRONG = {
    '<a href="gone.html">x</a>': "gone.html leads nowhere",
    '<a href="below">x</a>': "below leads nowhere",
    '<a href="below/b.html#there">x</a>': "below/b.html#there leads to no part of that page",
    '<a href="#nowhere">x</a>': "#nowhere leads to no part of that page",
    '<img src="gone.png">': "gone.png leads nowhere",
    '<script src="https://x.org/a.js"></script>': "https://x.org/a.js is fetched from a network",
    '<link rel="stylesheet" href="//x.org/a.css">': "//x.org/a.css is fetched from a network",
}


def found(added):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SITE.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text + (added if name == "index.html" else ""))
        return list(dead(Path(folder).resolve()))


def main():
    failed = [f"a right site: {found('')}"] if found("") else []
    for added, expected in WRONG.items():
        if found(added) != ["index.html: " + expected]:
            failed.append(f"{added}: {found(added)}")
    with tempfile.TemporaryDirectory() as empty:
        if len(list(dead(Path(empty)))) != 1:
            failed.append("a folder without pages is no site")
    print("\n".join(failed) if failed else f"{len(WRONG) + 2} cases")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
