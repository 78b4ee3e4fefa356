"""Builds one self-contained HTML file: no request leaves the machine that opens it."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import jinja2

from mustermann.core.errors import PluginError
from mustermann.core.files import new_file
from mustermann.report.highlight import legend, stretches

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mustermann.report.blocks import Section


def write_report(path: Path, *, title: str, lead: str, sections: Sequence[Section]) -> None:
    """Writes a page to `path`, whole or not at all; an older one is replaced.

    Raises:
      ConfigError: `path` can't be written to.
      PluginError: There are charts and the `[report]` extra is not installed.
    """
    with new_file(path) as partial:
        html = page(title=title, lead=lead, sections=sections)
        partial.write_text(html, encoding="utf-8")


def page(*, title: str, lead: str, sections: Sequence[Section]) -> str:
    """Returns a page as HTML.

    Args:
      title: Stands on top and in the browser's tab.
      lead: One paragraph that says what the reader has before them.
      sections: In order.

    Raises:
      PluginError: There are charts and the `[report]` extra is not installed.
    """
    charts = any(block.kind == "chart" for section in sections for block in section.blocks)
    template = _environment().get_template("report.html.j2")
    return template.render(
        title=title, lead=lead, sections=sections, version=version("mustermann"),
        bundle=_chart_library() if charts else "",
    )  # fmt: skip


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mustermann.report"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["stretches"] = stretches
    environment.filters["legend"] = legend
    environment.tests["words"] = _is_words
    environment.filters["script_json"] = _script_json
    return environment


def _is_words(cell: str) -> bool:
    """Returns whether a cell holds words, which stand to the left, and not a figure."""
    return sum(map(str.isalpha, cell)) > 2


def _script_json(value: object) -> str:
    """Returns JSON that can stand inside a script element: no tag can begin in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("&", "\\u0026").replace("\u2028", "\\u2028")


@cache
def _chart_library() -> str:
    """Returns Vega, Vega-Lite and Vega-Embed as one script (about 0.9 MB)."""
    try:
        import vl_convert
    except ImportError as error:
        raise PluginError(
            "Expected vl-convert-python for the report's charts, found none. "
            "Install it: pip install 'mustermann[report]'."
        ) from error
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script")
