"""The page of a long run: what was measured over time, and whether it grows."""
from __future__ import annotations

import html
import statistics
from dataclasses import dataclass, field

WIDTH, HEIGHT = 460, 150
# How many points of a life are compared with each other.
MOST = 400
# The part of a life that is left out: in it, a process takes the memory that it keeps.
WARM = 0.25


def slope(lives: "list[list[tuple[float, float]]]") -> float:
    """The median of the slopes between all pairs of points of the same life (Theil and Sen), without its beginning. A few
    outliers do not move it. 0 if no life has enough points."""
    found = []
    for life in lives:
        points = life[int(len(life) * WARM):]
        points = points[::len(points) // MOST + 1]
        found += [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(points) for b in points[i + 1:] if b[0] > a[0]]
    return statistics.median(found) if len(found) >= 10 else 0.0


@dataclass
class Series:
    """One line of a plot: points of seconds and a value, a list for each life of a process."""

    name: str
    lives: "list[list[tuple[float, float]]]" = field(default_factory=list)
    # What names the last life, such as the number of the process.
    last: object = None

    def add(self, life: object, second: float, value: float) -> None:
        if not self.lives or life != self.last:
            self.last = life
            self.lives.append([])
        self.lives[-1].append((second, value))

    @property
    def points(self) -> "list[tuple[float, float]]":
        return [point for life in self.lives for point in life]


@dataclass
class Plot:
    """Values of one kind. Each series may grow by `growth` in the whole run, or by the part `share` of its median."""

    title: str
    unit: str
    growth: float
    share: float = 0.0
    series: "list[Series]" = field(default_factory=list)

    def line(self, name: str) -> Series:
        for each in self.series:
            if each.name == name:
                return each
        self.series.append(Series(name))
        return self.series[-1]

    def growth_of(self, series: Series, seconds: float) -> float:
        return slope(series.lives) * seconds

    def limit_of(self, series: Series) -> float:
        values = [value for _, value in series.points]
        return max(self.growth, self.share * statistics.median(values)) if values else self.growth

    def growing(self, seconds: float) -> "list[str]":
        """The series that grow by more than they may."""
        return [
            f"{self.title} of {each.name} grows by {self.growth_of(each, seconds):,.1f} {self.unit} in the run; "
            f"the limit is {self.limit_of(each):,.1f}"
            for each in self.series if self.growth_of(each, seconds) > self.limit_of(each)]


def page(title: str, facts: "list[tuple[str, str]]", wrong: "list[str]", plots: "list[Plot]", seconds: float) -> str:
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in facts)
    verdict = "".join(f"<li>{html.escape(text)}</li>" for text in wrong)
    figures = "".join(figure(plot, seconds) for plot in plots)
    return f"""<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title>
<style>body{{font:14px sans-serif;margin:2em;max-width:75em}}th{{text-align:left;padding-right:1em}}
figure{{display:inline-block;margin:0 1em 1em 0;vertical-align:top}}figcaption{{font-weight:bold}}
.wrong{{color:#b00}}table.growth{{font-size:11px;font-weight:normal}}</style>
<h1>{html.escape(title)}</h1><p class={"wrong" if wrong else "right"}>{"Wrong:" if wrong else "Nothing was wrong."}</p>
<ul class=wrong>{verdict}</ul><table>{rows}</table>{figures}
"""


def figure(plot: Plot, seconds: float) -> str:
    points = [point for each in plot.series for point in each.points]
    if not points:
        return ""
    most_x, most_y = max(x for x, _ in points) or 1, max(y for _, y in points) or 1
    lines = "".join(polyline(life, number, most_x, most_y) for number, each in enumerate(plot.series) for life in each.lives)
    rows = "".join(
        f"<tr><td style='color:{color(number)}'>{html.escape(each.name)}</td><td>{plot.growth_of(each, seconds):+,.2f}</td>"
        f"<td>{plot.limit_of(each):,.2f}</td></tr>" for number, each in enumerate(plot.series))
    return f"""<figure><figcaption>{html.escape(plot.title)} in {html.escape(plot.unit)}, up to {most_y:,.2f}</figcaption>
<svg width={WIDTH} height={HEIGHT} style="background:#f6f6f6">{lines}</svg>
<table class=growth><tr><th>line</th><th>growth in the run</th><th>limit</th></tr>{rows}</table></figure>
"""


def color(number: int) -> str:
    return f"hsl({number * 137 % 360},65%,40%)"


def polyline(life: "list[tuple[float, float]]", number: int, most_x: float, most_y: float) -> str:
    step = len(life) // (2 * WIDTH) + 1
    places = " ".join(f"{x / most_x * WIDTH:.1f},{HEIGHT - y / most_y * (HEIGHT - 4):.1f}" for x, y in life[::step])
    return f'<polyline fill=none stroke="{color(number)}" points="{places}"/>'
