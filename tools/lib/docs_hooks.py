"""What MkDocs is to do beside its own work, for tools/docs:
- A link from a page to a file of the repository leads to a page of the site that shows it: Markdown as such, anything else
  highlighted. A link to a folder leads to its README.md, or to a list of its files.
- What the navigation names beside pages of docs is a file of the repository or a pattern, "include/comex/*.h": all files that
  match, each on its page.
- Lists, tables and code need no empty lines around them, as elsewhere.
- A line <!-- README.md: Title --> in a page stands for that section of that file, without its heading.
What is not there is a warning, and ends a strict build."""
import logging
import os.path
import re
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.plugins.docs_hooks")
made = tempfile.TemporaryDirectory()  # the pages that show files
PART = re.compile(r"(^```.*?^```|`[^`\n]*`)|\]\((?![a-z]+:|#)([^)#\s]+)|^<!-- (\S+\.md): ([^\n]+) -->$", re.S | re.M)
CODE_OR_JOINED = re.compile(r"(^```.*?^```)|^(?![-*| ]|1\. )(\S[^\n]*\n)(?=[-*] |1\. |\|)", re.S | re.M)
LANGUAGES = {".h": "c", ".c": "c", ".hpp": "cpp", ".cpp": "cpp", ".f90": "fortran", ".F90": "fortran", ".py": "python"}


def top(config):
    return Path(config["docs_dir"]).parent


def target(config, folder, link):
    """The file of the repository that a link in a page of this folder of the repository means."""
    path = os.path.normpath(os.path.join(folder, link))
    readme = path + "/README.md"
    return readme if (top(config) / readme).is_file() else path


def page_of(path):
    """Where the site has a file of the repository."""
    if path.startswith("docs/"):
        return path[len("docs/"):]
    return path.replace("README.md", "index.md") if path.endswith(".md") else path + ".md"


def folder_of(page):
    """Where the repository has what a page of the site shows."""
    return os.path.dirname(page.meta.get("shows", "docs/" + page.file.src_path))


def section(config, path, title):
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", (top(config) / path).read_text(), re.S | re.M)
    if not found:
        log.warning(f"{path} has no section '{title}'")
    return found.group(1).strip() if found else ""


def links(config, folder, text):
    for _, link, path, title in PART.findall(text):
        if path:
            yield from links(config, os.path.dirname(path), section(config, path, title))
        elif link:
            yield target(config, folder, link)


def expand(entry, config, wanted):
    """The navigation with its patterns replaced by pages; collects the files that they show."""
    if isinstance(entry, dict):
        return [{title: expand(below, config, wanted) if isinstance(below, list) else below} for title, below in entry.items()]
    if isinstance(entry, list):
        return [one for below in entry for one in expand(below, config, wanted)]
    if (Path(config["docs_dir"]) / entry).is_file():
        return [entry]
    paths = sorted(str(path.relative_to(top(config))) for path in top(config).glob(entry)) if "*" in entry else [entry]
    wanted.extend(paths)
    return [page_of(path) if path.endswith(".md") else {path: page_of(path)} for path in paths]


def on_files(files, config):
    wanted = []
    config["nav"] = expand(config["nav"], config, wanted)
    for page in files.documentation_pages():
        text = Path(page.abs_src_path).read_text()
        wanted.extend(links(config, os.path.dirname("docs/" + page.src_path), text))
    seen = set()
    while wanted:
        path = wanted.pop()
        if path in seen or path.startswith("docs/"):
            continue
        seen.add(path)
        file, name, hide = top(config) / path, os.path.basename(path), ""
        if not file.exists():
            log.warning(f"a link leads to {path}, which is not there")
            continue
        if file.is_dir():
            text = f"# {name}\n" + "".join(f"- [{each.name}]({name}/{each.name})\n" for each in sorted(file.iterdir()))
        elif path.endswith(".md"):
            text = file.read_text()
        else:
            language, hide = LANGUAGES.get(file.suffix, "text"), "hide: [toc]\n"
            text = f"# {name}\n\n`{path}`\n\n```{language}\n--8<-- \"{path}\"\n```\n"
        wanted.extend(links(config, os.path.dirname(path), text))
        out = Path(made.name) / page_of(path)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(f"---\nshows: {path}\n{hide}---\n{text}")
        files.append(File(page_of(path), made.name, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    here = os.path.dirname(page.file.src_path)

    def rewrite(folder):
        def one(match):
            code, link, path, title = match.groups()
            if path:
                return PART.sub(rewrite(os.path.dirname(path)), section(config, path, title))
            return match.group(0) if code else "](" + os.path.relpath(page_of(target(config, folder, link)), here or ".")
        return one

    whole = PART.sub(rewrite(folder_of(page)), markdown)
    return CODE_OR_JOINED.sub(lambda found: f"\n{found.group(1)}\n" if found.group(1) else found.group(2) + "\n", whole)
