import pyarrow as pa

from mustermann.privacy.guarantee import Guarantee, Read, Share
from mustermann.report.tables import distances_section, guarantee_section, marginals_section


def guarantee(*reads):
    return Guarantee(
        epsilon=2.9999, delta=1e-5, end_to_end=not reads, accountant="PLD",
        accountant_version="0.6", neighbours="add or remove one row",
        shares=(Share(name="marginals", share=0.1, event="Gaussian", what="the marginals"),),
        non_private_reads=reads, public=(), sentence="All of it.",
    )  # fmt: skip


def test_what_is_not_covered_is_a_warning():
    covered = guarantee_section(guarantee())
    assert [b.tone for b in covered.blocks if b.kind == "callout"] == ["promise"]
    open_ = guarantee_section(guarantee(Read(name="bins", what="the bins")), unit="a year")
    assert [b.tone for b in open_.blocks if b.kind == "callout"] == ["warning"]


def test_each_column_has_a_picture_of_whole_shares():
    real = pa.table({"n": list(range(100)), "c": ["a", None] * 50, "k": [1, 2] * 50})
    synthetic = pa.table({"n": [5] * 10, "c": ["b"] * 10, "k": [2] * 10})
    section = marginals_section(real, synthetic)
    pictures = [block.specification for block in section.blocks if block.kind == "chart"]
    assert [p["title"] for p in pictures] == ["n", "c", "k"]
    for picture in pictures:
        for side in ("real", "synthetic"):
            rows = next(iter(picture["datasets"].values())) if "datasets" in picture else (
                picture["data"]["values"])  # fmt: skip
            assert abs(sum(r["share"] for r in rows if r["data"] == side) - 1) < 1e-9
    assert "not private" in section.blocks[0].text


def test_a_missing_distance_is_a_dash():
    section = distances_section([("synthetic", {"tvd1": 0.1, "tvd2": None})])
    assert section.blocks[0].rows == (("synthetic", "0.1000", "–", "–"),)
