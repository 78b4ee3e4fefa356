import dataclasses

import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.filters import FILTERS
from mustermann.letters.modes import MODES, apply_modes
from mustermann.letters.render import render
from mustermann.letters.skeleton import from_text

TEXT = """[[klinik]]
[[klinik_telefon]]

[[arzt_einweiser form=full_titles]]

[[arzt_einweiser form=salutation]],

wir berichten über [[patient form=hon_first_last case=akk]], geb. [[geburtsdatum]].

Diagnosen:
[[diagnosis:nstemi]]

Anamnese: [[patient form=hon_last]] klagte über Druck. [[tochter]] bestätigt das.

Verlauf: Am [[ereignis:koro]] Koronarangiographie durch [[oberarzt]].

Medikation:
[[med:biso]]

Procedere: Kontrolle bei [[patient form=hon_last case=dat]], [[plz]] [[ort]].

Mit freundlichen Grüßen
[[oberarzt form=full_titles]]"""


@pytest.fixture
def spoil(attributes):
    def make(*names, seed=1, gap="\n\n", **changes):
        parameters = dataclasses.replace(attributes.parameters, modes=frozenset(names))
        changed = dataclasses.replace(attributes, parameters=parameters, **changes)
        head, salutation, body = TEXT.partition("[[arzt_einweiser form=salutation]],\n\n")
        text = head + salutation + body.replace("\n\n", gap)
        spoilt = apply_modes(from_text(text, case="nstemi"), changed, Seeds(seed).draws("modes"))
        return spoilt, render(spoilt.skeleton, changed, id="L1")

    return make


def test_no_mode_changes_nothing(spoil):
    spoilt, _ = spoil()
    assert spoilt.skeleton == from_text(TEXT, case="nstemi")
    assert spoilt.counts == {}


@pytest.mark.parametrize("name", sorted(MODES.keys() - {"second_identity"}))
def test_each_mode_acts_is_counted_and_renders(spoil, name):
    before = spoil()[1].text
    found = [spoil(name, seed=seed) for seed in range(8)]
    assert all(set(spoilt.counts) == {name} for spoilt, _ in found)
    assert sum(spoilt.counts[name] for spoilt, _ in found) > 0
    assert any(made.text != before for _, made in found)
    assert all("\n\n\n" not in made.text for _, made in found)


def test_all_modes_together_and_the_same_for_the_same_draws(spoil):
    spoilt, made = spoil(*MODES, *FILTERS)
    assert set(spoilt.counts) == set(MODES)
    assert made == spoil(*MODES, *FILTERS)[1]


@pytest.mark.parametrize("gap", ["\n\n", "\n"])
def test_paragraphs_come_behind_the_salutation_and_before_the_greeting(spoil, gap):
    for seed in range(20):
        _, made = spoil("law_citations", seed=seed, gap=gap)
        body = made.text[made.text.index("Bismarck,") : made.text.index("Mit freundlichen")]
        assert body.count("§") == 2
        assert f"{gap}{gap}" not in body or gap == "\n"


def test_initials_are_all_that_is_left_of_the_patient(spoil):
    _, made = spoil("initials_only")
    assert "Çam" not in made.text.replace("Yıldız-Çam", "")
    assert "Herrn Ç." in made.text


def test_inserted_numbers_are_decoys_and_no_dates(spoil):
    for seed in range(12):
        _, made = spoil("law_citations", "date_like_ids", "id_like_dates", "pzn_beside_case_id",
                        seed=seed)  # fmt: skip
        decoys = [made.surface(span) for span in made.spans if span.label == "NONPII_ID"]
        assert sum(text.startswith("§") for text in decoys) == 2
        assert any(len(text) == 8 and text.isdigit() for text in decoys)
        assert any(span.label == "CASE_ID" for span in made.spans)
        assert {"DATE_BIRTH", "DATE_EVENT"} == {
            span.label for span in made.spans if span.label.startswith("DATE")
        }


def test_weeks_of_pregnancy_only_where_they_can_be(spoil, attributes):
    woman = dataclasses.replace(attributes.patient, sex="f")
    assert "/7 SSW" in spoil("law_citations", patient=woman, age=40)[1].text
    assert "SSW" not in spoil("law_citations", patient=woman, age=75)[1].text
    childless = dataclasses.replace(
        attributes.course, facts=dict(attributes.course.facts) | {"kinder": "keine Kinder"}
    )
    assert "SSW" not in spoil("law_citations", patient=woman, age=40, course=childless)[1].text
    assert "SSW" not in spoil("law_citations")[1].text
    assert "SSW" not in spoil("law_citations", patient=woman, age=9)[1].text


def test_a_quote_needs_something_that_happened_before(spoil):
    spoilt, made = spoil("quoted_letters")
    assert spoilt.counts == {"quoted_letters": 1}
    assert any(span.slot == "ereignis:infarkt" for span in made.spans)
    dates = {"geburtsdatum", "aufnahme", "entlassung", "brief", "ereignis:koro"}
    spoilt, _ = spoil("quoted_letters", dates={
        name: day for name, day in made_dates(made).items() if name in dates
    })  # fmt: skip
    assert spoilt.counts == {"quoted_letters": 0}


def made_dates(made):
    from datetime import date

    return {k: date.fromisoformat(v) for k, v in made.meta["attributes"]["dates"].items()}


def test_a_table_holds_person_and_laboratory(spoil):
    _, made = spoil("table_blocks")
    assert "Çam, Cem" in made.text
    assert [made.surface(s) for s in made.clinical if s.label == "LAB"] == ["124,2", "8,0"]


def test_a_second_identity_is_shown_once(spoil, attributes):
    assert spoil("second_identity")[0].counts == {"second_identity": 0}
    donor = {
        "people": {**attributes.people, "spender": attributes.people["tochter"]},
        "dates": {**attributes.dates, "ereignis:spender_geburt": attributes.dates["brief"]},
        "values": {**attributes.values, "spendernr": "ET-4711"},
    }
    spoilt, made = spoil("second_identity", **donor)
    assert spoilt.counts == {"second_identity": 1}
    assert {"OTHER_PERSON_NAME", "DONOR_ID"} <= {span.label for span in made.spans}


def test_typos_are_marked_in_the_details(spoil):
    _, made = spoil("typo_names", seed=3)
    typos = [span for span in made.spans if "typo" in span.details]
    assert typos
    assert all(span.details["typo"] not in made.surface(span) for span in typos)


def test_a_zero_width_space_stands_before_the_zip_and_outside_its_span(spoil):
    _, made = spoil("zwsp")
    (zip_code,) = (span for span in made.spans if span.label == "ZIP")
    assert made.text[zip_code.start - 1] == "\u200b"
    assert made.surface(zip_code) == "50667"
