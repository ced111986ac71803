"""How Sphinx builds the documentation: ``make docs``. Nothing in what it writes is fetched from another host."""

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.lexers.special import TextLexer

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = "dpviz"
author = "The authors of dpviz"
release = re.search(r'^__version__ = "(.*)"$', (ROOT / "dpviz/__init__.py").read_text("utf-8"), re.MULTILINE)[1]
version = release
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += [name for name in ["sphinx_copybutton"] if find_spec(name)]  # pages are built without it, too

# --- pages
smartquotes = False  # a docstring that says "" means these two characters
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4  # sections can be linked to by the names that code hosts give them, too
myst_links_external_new_tab = False
myst_url_schemes = ("http", "https", "mailto")

# --- the reference, from docstrings
default_role = "py:obj"
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "none"  # the docstrings say types, with units and intervals
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": "object, tuple, BaseException"}
python_use_unqualified_type_names = True

# --- looks
html_theme = "furo"
html_title = f"dpviz {release}"
html_show_copyright = False
html_static_path = ["static"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
pygments_style = "friendly"
pygments_dark_style = "monokai"


def _inline(translator: object, node: nodes.math) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator: object, node: nodes.math_block) -> None:
    text = node.astext()
    translator.body.append(f"<div>{tex2mathml(text, as_block=True)}</div>\n")
    raise nodes.SkipNode


def _escaped(_app: object, _what: str, _name: str, _value: object, _options: object, lines: list[str]) -> None:
    """Keep |y| in a docstring from being read as a substitution; Python and its output stay as they are."""
    lines[:] = [re.sub(r"(?<!`)\|(\w+)\|", r"\\|\1\\|", line) if ">>>" not in line else line for line in lines]


def _search(app: object, pagename: str, *_rest: object) -> None:
    if pagename == "search":
        app.add_js_file("offline-search.js", priority=100)  # before the search itself


def _texts(app: object, failed: object) -> None:
    """Write what each page says, for the search of a site that is read from files."""
    if failed or app.builder.name != "html":
        return
    texts = {}
    for page in sorted(app.outdir.rglob("*.html")):
        main = re.search(r'<article role="main".*?</article>', page.read_text("utf-8"), re.DOTALL)
        if main:
            texts[page.relative_to(app.outdir).as_posix()] = re.sub(' (href|src|class|title)="[^"]*"', "", main[0])
    # The end of a tag within a script would end the script, if it stood in a page.
    written = json.dumps(texts, ensure_ascii=False).replace("</", "<\\/")
    (app.outdir / "_static" / "texts.js").write_text(f"window.dpvizTexts = {written};\n", "utf-8")


def setup(app: object) -> dict[str, bool]:
    """Have formulas written as MathML, which browsers draw without a script, and excerpts where nothing is fetched."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", _escaped)
    app.connect("html-page-context", _search)
    app.connect("build-finished", _texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
