"""`mustermann table audit`: a lower bound on epsilon beside the claimed one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mustermann.cli.lazy import table_journeys

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("data", type=_PATH)
@click.option("--epsilon", required=True, type=float, help="Privacy budget of the audited fit.")
@click.option("--delta", type=float, default=1e-5, show_default=True, help="Privacy budget.")
@click.option("--schema", "schema_file", type=_PATH, help="Declares the columns.")
@click.option("--method", default="synlm", show_default=True)
@click.option(
    "--bins", type=click.Choice(["public", "private", "nonprivate"]), default="nonprivate",
    show_default=True, help="What happens to bins and levels that the schema does not declare.",
)  # fmt: skip
@click.option(
    "--canaries",
    type=int,
    default=200,
    show_default=True,
    help="Rows on a coin; persons where the schema has [person].",
)
@click.option("--guesses", type=int, help="Coins to guess, even; half of them by default.")
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Never reaches the noise.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def audit(
    data: Path,
    *,
    epsilon: float,
    delta: float,
    schema_file: Path | None,
    method: str,
    bins: Any,
    canaries: int,
    guesses: int | None,
    confidence: float,
    seed: int,
    overrides: tuple[str, ...],
    as_json: bool,
) -> None:
    """Fit the rows in DATA with canaries among them and print what they reveal; not private."""
    tables, table_audit = table_journeys(), table_journeys("table_audit")

    settings = tables.FitSettings(
        epsilon=epsilon, delta=delta, method=method, bins=bins, seed=seed, overrides=overrides
    )
    found = table_audit.audit(
        data,
        settings,
        schema=tables.read_schema(schema_file) if schema_file else None,
        canaries=canaries,
        guesses=guesses,
        confidence=confidence,
    )
    if as_json:
        click.echo(json.dumps(found.to_record(), ensure_ascii=False, allow_nan=False))
        return
    each = "canaries" if found.canary_rows == 1 else f"canaries of {found.canary_rows} rows"
    verdict = "the claim is refuted" if found.refuted else "which does not refute it"
    click.echo(
        f"Claimed: epsilon = {found.guarantee.epsilon:.4g} at delta = {found.guarantee.delta:g}\n"
        f"Found: at least {found.epsilon_lower:.4g} with confidence {found.confidence:g}, "
        f"{verdict} ({found.right} of {found.guesses} guesses about {found.canaries} {each} "
        f"are right)\n"
        f"Not private: the audit reads the rows without noise."
    )
