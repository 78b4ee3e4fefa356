"""One model and one seed give these very rows, in this version and the next."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import files
from mustermann.tables.discretise import Discretiser
from mustermann.tables.encoders import Bins, Levels
from mustermann.tables.frames import Field, Layout
from mustermann.tables.independent import IndependentModel
from mustermann.tables.model import TableModel

DISCRETISER = Discretiser(
    encoders=(
        Bins(
            name="age", storage="integer", edges=(0.0, 18.0, 65.0, 110.0), kept=(0, 1, 2), step=1.0
        ),
        Levels(name="zip", storage="string", values=("03", "10"), unknown="unknown", missing=True),
        Bins(name="rate", storage="float", edges=(0.0, 0.5, 1.0), kept=(0, 1), step=0.01),
        Levels(name="sick", storage="boolean", values=(False, True)),
        Bins(
            name="day", storage="date", edges=(18262.0, 18628.0), kept=(0,), step=1.0, missing=True
        ),
    )
)
LAYOUT = Layout(
    library="arrow",
    fields=(
        Field(name="age", storage="integer", arrow="int64"),
        Field(name="zip", storage="string", arrow="string"),
        Field(name="rate", storage="float", arrow="double"),
        Field(name="sick", storage="boolean", arrow="bool", spelling="True|False"),
        Field(name="day", storage="date", arrow="date32[day]", spelling="%d.%m.%Y"),
    ),
)
MARGINALS = ((0.2, 0.5, 0.3), (0.5, 0.2, 0.1, 0.2), (0.7, 0.3), (0.6, 0.4), (0.8, 0.2))
ROWS = Path(__file__).with_name("table_rows.csv")


def test_rows_of_a_seed_do_not_change(tmp_path):
    model = IndependentModel()
    model._marginals = tuple(np.array(part) for part in MARGINALS)
    table = TableModel(
        layout=LAYOUT,
        discretiser=DISCRETISER,
        synthesiser=model,
        guarantee=Ledger(Budget(epsilon=1.0, delta=1e-6)).guarantee(),
    )
    out = tmp_path / "rows.csv"
    with files.writer(out) as sink:
        for block in table.sample(12, seed=7):
            sink.write(block)
    assert out.read_text() == ROWS.read_text()
