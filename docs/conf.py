"""Settings of Sphinx for the manual, which `scripts/build_docs.py` prepares and builds."""

import os

project = "Quire"
author = "The Quire developers"
version = release = os.environ.get("QUIRE_DOCS_VERSION", "")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4
highlight_language = "text"
nitpicky = True
smartquotes = False  # -- begins an option

html_theme = "furo"
html_title = f"Quire {version}".strip()
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
