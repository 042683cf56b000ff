"""Prints every link of a built site that leads to no page, to no part of its page, or that a page needs from a network to
look right. Usage: dead_links.py FOLDER    status 1 if there is one, or no page."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SHOWN = {"script": "src", "img": "src", "link": "href", "iframe": "src"}  # what a browser fetches by itself


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.parts = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.parts |= {found.get("id"), found.get("name")}
        if tag == "a" and found.get("href"):
            self.links.append((found["href"], False))
        elif tag in SHOWN and found.get(SHOWN[tag]):
            self.links.append((found[SHOWN[tag]], True))


def dead(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if path.name != "404.html"}
    if not pages:
        yield f"{folder}: no page is there"
    for path, page in pages.items():
        for link, is_shown in page.links:
            to = urlsplit(link)
            place = f"{path.relative_to(folder)}: {link}"
            if to.scheme or to.netloc:
                if is_shown and to.scheme != "data":
                    yield f"{place} is fetched from a network"
                continue
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            if not target.is_file():
                yield f"{place} leads nowhere"
            elif target in pages and unquote(to.fragment) not in pages[target].parts:
                yield f"{place} leads to no part of that page"


def main():
    found = list(dead(Path(sys.argv[1]).resolve()))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
