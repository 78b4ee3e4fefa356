"""Signatures tell two numbers apart."""

from mustermann.metrics.signature import VERSION, Signature


def test_a_signature_names_everything_that_the_score_depends_on():
    signature = Signature(
        name="span_f1", match="exact", map="grascco-1", bootstrap="documents-10000"
    )
    assert str(signature) == (
        f"span_f1|match:exact|map:grascco-1|average:micro|bootstrap:documents-10000|version:{VERSION}"
    )
    assert signature != Signature(name="span_f1", match="exact", map="grascco-2")
