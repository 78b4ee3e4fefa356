"""Charts as Vega-Lite specifications. Real is grey, synthetic is blue, throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mustermann.core.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

REAL, SYNTHETIC = "#9aa0a6", "#1a73e8"
SERIES = ("#1a73e8", "#d93025", "#188038", "#9334e6", "#e37400", "#00838f")


def marginal(
    levels: Sequence[str], real: Sequence[float], synthetic: Sequence[float], *,
    title: str, ordered: bool,
) -> dict[str, Any]:  # fmt: skip
    """Returns one column's shares, real beside synthetic.

    Args:
      levels: Names of the levels, in order.
      real: Share of each level, in [0, 1].
      synthetic: The same.
      title: The column's name.
      ordered: Whether neighbouring levels are alike: drawn as two outlines, else as bars.
    """
    alt = _altair()
    rows = [
        {"level": level, "position": position, "share": share, "data": data}
        for data, shares in (("real", real), ("synthetic", synthetic))
        for position, (level, share) in enumerate(zip(levels, shares, strict=True))
    ]
    base = alt.Chart(alt.Data(values=rows), width=250, height=130, title=title)
    colour = alt.Color("data:N", title=None).scale(
        domain=["real", "synthetic"], range=[REAL, SYNTHETIC]
    )
    tooltip = ["level:N", "data:N", alt.Tooltip("share:Q", format=".2%")]
    share = alt.Y("share:Q", title=None).axis(format="%")
    if ordered:
        labels = " : ".join(
            f"datum.value == {i} ? {_quoted(levels[i])}" for i in _ticks(len(levels))
        )
        axis = alt.Axis(values=_ticks(len(levels)), labelExpr=f"{labels} : ''", grid=False)
        chart = base.mark_line(interpolate="step", strokeWidth=1.5).encode(
            x=alt.X("position:Q", title=None).axis(axis).scale(nice=False),
            y=share, color=colour, tooltip=tooltip,
        )  # fmt: skip
    else:
        chart = base.mark_bar().encode(
            x=alt.X("level:N", title=None, sort=list(levels)).axis(labelLimit=90),
            xOffset=alt.XOffset("data:N"), y=share, color=colour, tooltip=tooltip,
        )  # fmt: skip
    return _specification(chart)


def bars(
    values: Mapping[str, Mapping[str, float]], *, title: str, axis: str, percent: bool = True
) -> dict[str, Any]:
    """Returns grouped bars: `values[series][name]`, one colour a series."""
    alt = _altair()
    rows = [
        {"name": name, "series": series, "value": value}
        for series, figures in values.items()
        for name, value in figures.items()
    ]
    names = list(dict.fromkeys(row["name"] for row in rows))
    chart = (
        alt.Chart(alt.Data(values=rows), width=640, height=220, title=title)
        .mark_bar()
        .encode(
            x=alt.X("name:N", title=None, sort=names).axis(labelAngle=-40, labelLimit=140),
            xOffset=alt.XOffset("series:N", sort=list(values)),
            y=alt.Y("value:Q", title=axis).axis(format="%" if percent else ",~f"),
            color=alt.Color("series:N", title=None, sort=list(values)).scale(range=list(SERIES)),
            tooltip=["series:N", "name:N", alt.Tooltip("value:Q", format=".3f")],
        )
    )
    return _specification(chart)


def histogram(values: Sequence[float], *, title: str, axis: str) -> dict[str, Any]:
    """Returns a histogram of `values`."""
    alt = _altair()
    chart = (
        alt.Chart(
            alt.Data(values=[{"value": v} for v in values]), width=640, height=180, title=title
        )
        .mark_bar(color=SYNTHETIC)
        .encode(
            x=alt.X("value:Q", title=axis).bin(maxbins=40),
            y=alt.Y("count():Q", title="letters"),
            tooltip=[alt.Tooltip("count():Q", title="letters")],
        )
    )
    return _specification(chart)


def lines(
    rows: Sequence[Mapping[str, Any]], *, x: str, y: str, series: str, error: str = "",
    title: str = "", log_x: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Returns a line a series through the points of `rows`, with error bars where given."""
    alt = _altair()
    base = alt.Chart(
        alt.Data(values=[dict(row) for row in rows]), title=title, width=300, height=220
    )
    scale = alt.Scale(type="log" if log_x else "linear", nice=False, padding=12)
    at = alt.X(f"{x}:Q", title=x).scale(scale)
    colour = alt.Color(f"{series}:N", title=None).scale(range=list(SERIES))
    height = alt.Y(f"{y}:Q", title=y).scale(zero=False)
    chart = base.mark_line(point=True).encode(
        x=at, y=height, color=colour,
        tooltip=[f"{series}:N", f"{x}:Q", alt.Tooltip(f"{y}:Q", format=".3f")],
    )  # fmt: skip
    if error:
        whiskers = base.mark_errorbar().encode(
            x=at, y=height, yError=alt.YError(f"{error}:Q"), color=colour
        )
        return _specification(chart + whiskers)
    return _specification(chart)


def _ticks(count: int) -> list[int]:
    """Returns up to five positions that label an ordered axis."""
    return sorted({round(i * (count - 1) / 4) for i in range(5)})


def _quoted(text: str) -> str:
    """Returns a Vega string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ") + "'"


def _specification(chart: Any) -> dict[str, Any]:
    found: dict[str, Any] = chart.configure_view(stroke=None).to_dict(validate=True)
    return found


def _altair() -> ModuleType:
    try:
        import altair
    except ImportError as error:
        raise PluginError(
            "Expected altair for charts, found none. Install it: pip install 'mustermann[report]'."
        ) from error
    return altair
