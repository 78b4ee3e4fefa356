from mustermann.documents.labels import CLINICAL, DECOYS, DIRECT, INDIRECT, LABELS, PHI


def test_the_tiers_partition_the_labels():
    assert len(DIRECT) + len(INDIRECT) + len(DECOYS) == len(LABELS)
    assert PHI == DIRECT | INDIRECT
    assert not CLINICAL & set(LABELS)


def test_tiers_are_those_of_the_table():
    assert {"PATIENT_NAME", "DATE_BIRTH", "ZIP", "KVNR", "DEVICE_ID"} <= DIRECT
    assert {"AGE", "PROFESSION", "HOSPITAL", "COUNTRY"} <= INDIRECT
    assert {"EPONYM", "LOOKALIKE", "NONPII_ID"} == DECOYS
