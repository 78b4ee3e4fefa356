import dataclasses
import json
from datetime import date

import pytest

from mustermann.core.errors import DataError
from mustermann.letters.attributes.record import Diagnosis, Person
from mustermann.letters.house import HouseWeights
from mustermann.letters.placeholder import scan
from mustermann.letters.render import render
from mustermann.letters.skeleton import from_text


@pytest.fixture
def letter(attributes):
    def write(text, **changes):
        changed = dataclasses.replace(attributes, **changes) if changes else attributes
        return render(from_text(text, case="nstemi"), changed, id="L1")

    return write


def marked(document):
    """Returns the text with each span in brackets."""
    text = document.text
    for span in reversed(document.spans):
        text = f"{text[: span.start]}⟦{document.surface(span)}⟧{text[span.end :]}"
    return text


def test_the_published_examples(letter):
    wanted = "Herr ⟦Cem Çam⟧ Herrn ⟦Çam⟧ Sehr geehrter Herr ⟦Dr. von Bismarck⟧ ⟦M. Fehlings⟧"
    assert marked(letter(
        "[[patient form=hon_first_last case=nom]] [[patient form=hon_last case=akk]] "
        "[[arzt_einweiser form=salutation case=nom]] [[konsiliararzt form=initial_last case=gen]]"
    )) == wanted  # fmt: skip
    assert letter("[[geburtsdatum variant=textual]]").text == "1. März 1962"
    assert letter("[[geburtsdatum variant=iso]]").text == "1962-03-01"


def test_components_cover_the_parts_of_a_name(letter):
    made = letter("[[oberarzt form=full_titles case=gen]] Rat, [[patient form=hon_last]]")
    parts = [(part.kind, made.surface(part)) for span in made.spans for part in span.components]
    assert parts == [
        ("title", "PD Dr. med."), ("given", "Anna"), ("given", "Thea"), ("family", "Voß"),
        ("suffix", "'"), ("honorific", "Herr"), ("family", "Çam"),
    ]  # fmt: skip
    assert [span.details["listed"] for span in made.spans] == ["no", "yes"]
    assert [span.form for span in made.spans] == ["full_titles gen", "hon_last"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Herrn Çams Befund", "[[patient form=hon_last case=gen]] Befund"),
        ("der Befund des Herrn Çam", "der Befund des [[patient form=hon_last case=gen]]"),
        ("die Sicht der Tochter Eda Yıldız-Çam",
         "die Sicht der Tochter [[tochter form=first_last case=gen]]"),
        ("der Befund Herrn Çams", "der Befund [[patient form=hon_last case=gen]]"),
        ("des o.g. Patienten Herrn Çam", "des o.g. Patienten [[patient form=hon_last case=gen]]"),
        ("Rat der Frau PD Dr. Voß", "Rat der [[oberarzt form=hon_last case=gen]]"),
        ("Frau PD Dr. Voß' Rat", "[[oberarzt form=hon_last case=gen]] Rat"),
    ],
)  # fmt: skip
def test_a_genitive_after_an_article_is_bare(letter, text, wanted):
    assert letter(wanted).text == text


@pytest.mark.parametrize(
    ("skeleton", "wanted"),
    [
        ("Gut. [[arzt_einweiser form=last_only]] rief an.", "Gut. Von Bismarck rief an."),
        ("\n\n[[arzt_einweiser form=last_only]] rief an.", "\n\nVon Bismarck rief an."),
        ("Dr. [[arzt_einweiser form=last_only]] rief an.", "Dr. von Bismarck rief an."),
        ("gez.\n[[arzt_einweiser form=last_only]]\nArzt", "gez.\nvon Bismarck\nArzt"),
        ("Arzt: [[arzt_einweiser form=last_only]] (HA)", "Arzt: von Bismarck (HA)"),
        ("durch [[arzt_einweiser form=last_only]] am", "durch von Bismarck am"),
        ("Stabil. [[ereignis:koro variant=relative]] Koro.", "Stabil. Vor 8 Tagen Koro."),
        ("stabil, [[ereignis:koro variant=relative]] Koro.", "stabil, vor 8 Tagen Koro."),
    ],
)
def test_a_particle_takes_a_capital_only_where_a_sentence_begins(letter, skeleton, wanted):
    assert letter(skeleton).text == wanted


def test_a_full_stop_stays_outside_and_is_not_doubled(letter):
    assert marked(letter("bis [[entlassung variant=dmy]]. Dann")) == "bis ⟦08.04.2026⟧. Dann"
    assert marked(letter("am [[entlassung variant=dm]]. Dann")) == "am ⟦08.04.⟧ Dann"
    assert marked(letter("am [[entlassung variant=dm]] bis")) == "am ⟦08.04.⟧ bis"
    assert letter("am [[entlassung variant=dm]]... Dann").text == "am 08.04.... Dann"


def test_partial_dates_have_a_label_of_their_own_and_relative_ones_none(letter):
    variants = ("my2", "quarter", "relative", "dm")
    made = letter(" ".join(f"[[ereignis:infarkt variant={variant}]]" for variant in variants))
    assert made.text == "11/19 4. Quartal 2019 vor 6 Jahren 03.11."
    assert [span.label for span in made.spans] == ["DATE_PARTIAL", "DATE_PARTIAL", "DATE_EVENT"]
    assert made.spans[0].slot == "ereignis:infarkt"


@pytest.fixture
def written(attributes):
    """Returns the marked text of a skeleton in a house of given habits."""

    def write(text, *, changes=None, **habits):
        weights = HouseWeights(**{"unpadded": 1.0, "letter_in_words": 0.0} | habits)
        changed = dataclasses.replace(attributes, **changes or {})
        return marked(render(from_text(text, case="x"), changed, id="L1", weights=weights))

    return write


def test_a_stay_may_leave_out_what_its_last_day_says(written, attributes):
    asked = "vom [[aufnahme]] bis zum [[entlassung]]"
    dates = {**attributes.dates, "aufnahme": date(2026, 4, 2)}
    late = {**attributes.dates, "aufnahme": date(2025, 12, 30)}
    always = {"elided": 1.0, "slash": 0.0, "stay_short_year": 0.0}
    assert written(asked, **always) == "vom ⟦30.3.⟧ bis zum ⟦8.4.2026⟧"
    assert written(asked, changes={"dates": dates}, **always) == "vom ⟦2.⟧ bis zum ⟦8.4.2026⟧"
    assert written(asked, changes={"dates": late}, **always) == (
        "vom ⟦30.12.2025⟧ bis zum ⟦8.4.2026⟧"
    )
    padded = {**always, "unpadded": 0.0}
    assert written(asked, changes={"dates": dates}, **padded) == "vom ⟦02.⟧ bis zum ⟦08.04.2026⟧"
    assert written("Aufnahme [[aufnahme]], [[entlassung]]", **always) == (
        "Aufnahme ⟦30.3.2026⟧, ⟦8.4.2026⟧"
    )
    assert written(asked, elided=0.0, slash=0.0, stay_short_year=0.0) == (
        "vom ⟦30.3.2026⟧ bis zum ⟦8.4.2026⟧"
    )


@pytest.mark.parametrize(
    ("form", "text"), [("my", "⟦11/2019⟧"), ("my2", "⟦11/19⟧"), ("my1", "⟦11/19⟧")]
)
def test_a_house_writes_a_month_in_one_way(written, form, text):
    assert written("[[ereignis:infarkt variant=my]]", month={form: 1.0}) == text
    assert written("[[ereignis:koro variant=my]]", month={"my1": 1.0}) == "⟦4/26⟧"


def test_a_long_number_is_written_in_groups(letter, attributes):
    values = {**attributes.values, "telefon": "0341 1142205184437",
              "klinik_telefon": "0341 11422051-84437"}  # fmt: skip
    written = {
        "din": "0341 1142 2051 84437", "slash": "0341/1142 2051 84437",
        "brackets": "(0341) 1142 2051 84437", "intl_zero": "+49 (0)341 1142 2051 84437",
        "pairs": "0341 114 22 05 18 44 37", "extension": "37",
    }  # fmt: skip
    for form, text in written.items():
        assert letter(f"[[telefon form={form}]]", values=values).text == text
    assert letter("[[klinik_telefon form=din]]", values=values).text == "0341 11422051-84437"


def test_a_rooms_number_is_labelled_without_its_word(letter, attributes):
    for room, text in (("Zimmer 143", "Zimmer ⟦143⟧"), ("Zi. 3.04", "Zi. ⟦3.04⟧")):
        made = letter("Stat. [[station]], [[zimmer]]", values={**attributes.values, "zimmer": room})
        assert marked(made) == f"Stat. ⟦4A⟧, {text}"
        assert made.spans[1].label == "ROOM"


def test_titles_phones_and_postal_codes_of_a_house(written):
    name = "[[oberarzt form=title_last]], [[oberarzt form=full_titles]]"
    assert written(name, short_titles=0.0).startswith("⟦PD Dr. med. Voß⟧, ")
    assert written(name, short_titles=1.0) == "⟦PD Dr. Voß⟧, ⟦PD Dr. med. Anna Thea Voß⟧"
    assert written("[[klinik_telefon]]", phone={"intl_zero": 1.0}) == "⟦+49 (0)221 4710-0⟧"
    assert written("[[plz]] [[ort]]", zip_prefix=1.0) == "⟦D-50667⟧ ⟦Köln⟧"


def test_an_age_span_is_the_number_alone(letter):
    made = letter(
        "Der [[alter]]-jährige, [[alter form=joined]]jährige, [[alter form=vague]], 49jähr."
    )
    assert marked(made) == "Der ⟦64⟧-jährige, ⟦vierundsechzig⟧jährige, Mitte ⟦sechzig⟧, 49jähr."


def test_an_age_of_somebody_else_is_a_fact_of_the_case_and_labelled(letter, attributes):
    course = dataclasses.replace(attributes.course, facts={"vater_alter": 84, "text": "84"})
    made = letter(
        "Vater mit [[lebensalter:vater_alter]], [[lebensalter:vater_alter form=word]].",
        course=course,
    )
    assert marked(made) == "Vater mit ⟦84⟧, ⟦vierundachtzig⟧."
    assert {(span.label, span.slot) for span in made.spans} == {("AGE", "lebensalter:vater_alter")}
    for fact in ("mutter_alter", "text"):
        with pytest.raises(DataError, match="whole years"):
            letter(f"[[lebensalter:{fact}]]", course=course)


def test_another_age_is_never_said_in_months():
    fault = scan("[[lebensalter:vater_alter form=months]]").faults[0]
    assert "Unknown form 'months'" in fault.message


def test_a_child_goes_by_the_given_name(letter):
    asked = ("[[patient form=hon_last]], [[patient form=hon_last case=gen]] Mutter, "
             "[[patient form=hon_first_last case=akk]], [[tochter form=hon_last]]")  # fmt: skip
    assert letter(asked, age=13).text == "Cem, Cems Mutter, Cem Çam, Frau Yıldız-Çam"
    assert letter(asked, age=14).text.startswith("Herr Çam, Herrn Çams Mutter, Herrn Cem Çam")


def test_january_is_another_word_in_austria(letter, attributes):
    dates = {**attributes.dates, "brief": date(2026, 1, 9)}
    asked = "[[brief variant=d_month_y]], [[brief variant=m_y]], [[brief variant=d_mon_y]]"
    assert letter(asked, dates=dates).text == "9. Januar 2026, Januar 2026, 9. Jan. 2026"
    values = {**attributes.values, "klinik_plz": "A-9020"}
    made = letter(asked, dates=dates, values=values)
    assert made.text == "9. Jänner 2026, Jänner 2026, 9. Jän. 2026"


def test_an_infant_has_an_age_in_months(letter, attributes):
    dates = {**attributes.dates, "geburtsdatum": date(2025, 8, 31)}
    made = letter("[[alter form=months]] Monate, [[alter form=weeks]] Wo., [[alter form=days]] d",
                  age=0, dates=dates)  # fmt: skip
    assert made.text == "6 Monate, 30 Wo., 211 d"
    assert {span.label for span in made.spans} == {"AGE"}


def test_two_extensions_are_two_spans(letter):
    made = letter("Tel. [[klinik_telefon form=din]] oder -[[station_telefon form=extension]]")
    assert marked(made) == "Tel. ⟦0221 4710-0⟧ oder -⟦234⟧"


def test_phone_numbers_as_people_write_them(letter):
    forms = ["slash", "brackets", "dash", "pairs", "intl"]
    made = letter("; ".join(f"[[telefon form={form}]]" for form in forms))
    assert made.text == ("0221/4710-123; (0221) 4710-123; 0221 - 4710-123; 0221 471 01 23; "
                         "+49 221 4710-123")  # fmt: skip


def test_identifiers_in_blocks_and_addresses_in_short(letter):
    made = letter(
        "[[kvnr form=grouped]] [[iban form=grouped]] [[strasse form=short]] [[ort form=upper]]"
    )
    assert made.text == "A000 500 015 DE89 3704 0044 0532 0130 00 Lange Str. 131a KÖLN"
    assert made.spans[0].details == {"checksum": "valid"}


def test_decoys_are_labelled_as_what_they_are(letter):
    made = letter(
        "[[eponym:Hashimoto-Thyreoiditis]], PZN [[nonpii_id:pzn]], [[lookalike:Swan-Ganz]]"
    )
    assert [span.label for span in made.spans] == ["EPONYM", "NONPII_ID", "LOOKALIKE"]
    assert made.text == "Hashimoto-Thyreoiditis, PZN 04877800, Swan-Ganz"


def test_the_clinical_layer(letter):
    made = letter(
        "<<diagnosis:nstemi>>Hinterwandinfarkt bei [[eponym:Prinzmetal-Angina]]<</diagnosis>>; "
        "[[diagnosis:nstemi form=title_icd]]; [[diagnosis:lae]]; [[diagnosis:arm form=icd]]; "
        "[[procedure:koro form=title_ops]]; [[med:biso form=substance]]; [[lab:crp]]; "
        "[[lab:crp form=trend]]; [[lab:inr variant=aufnahme form=value]]; [[med:rami form=dose]]"
    )
    assert [(span.label, made.surface(span)) for span in made.clinical] == [
        ("DIAGNOSIS", "Hinterwandinfarkt bei Prinzmetal-Angina"), ("DIAGNOSIS", "NSTEMI (I21.4)"),
        ("DIAGNOSIS", "V.a. Lungenarterienembolie"), ("DIAGNOSIS", "S52.50 R Z"),
        ("PROCEDURE", "Koronarangiographie (1-275.0)"), ("MEDICATION", "Bisoprolol"),
        ("LAB", "CRP 124,2 mg/l"), ("LAB", "CRP 124,2 → 8,0 mg/l"), ("LAB", "1,05"),
        ("MEDICATION", "5 mg"),
    ]  # fmt: skip
    assert made.clinical[0].details == {"icd": "I21.4", "certainty": "G"}
    assert made.clinical[5].details["atc"] == "C07AB07"
    assert made.clinical[6].details == {
        "analyte": "CRP", "unit": "mg/l", "value": "124,2", "time": "aufnahme",
    }  # fmt: skip


def test_a_code_never_follows_brackets_in_brackets(letter, attributes):
    course = dataclasses.replace(
        attributes.course, diagnoses=(Diagnosis(key="d", title="COPD (GOLD 3)", icd="J44.81"),)
    )
    assert letter("[[diagnosis:d form=title_icd]]", course=course).text == "COPD (GOLD 3), J44.81"


def test_an_eponym_inside_a_diagnosis_is_a_decoy_on_the_other_layer(letter, attributes):
    titles = ("Morbus Parkinson", "Z.n. Non-Hodgkin-Lymphom", "Alzheimer-Demenz", "Schlaganfall")
    course = dataclasses.replace(attributes.course, diagnoses=tuple(
        Diagnosis(key=f"d{i}", title=title, icd="G20.9") for i, title in enumerate(titles)
    ))  # fmt: skip
    text = "; ".join(f"[[diagnosis:d{i}]]" for i in range(len(titles)))
    made = letter(f"{text}; <<diagnosis:d0>>bei [[diagnosis:d0]] (bekannt)<</diagnosis>>",
                  course=course)  # fmt: skip
    assert [made.surface(span) for span in made.clinical] == [
        *titles, "bei Morbus Parkinson (bekannt)",
    ]  # fmt: skip
    assert [(span.label, made.surface(span)) for span in made.spans] == [
        ("EPONYM", "Morbus Parkinson"), ("EPONYM", "Non-Hodgkin-Lymphom"),
        ("EPONYM", "Alzheimer-Demenz"), ("EPONYM", "Morbus Parkinson"),
    ]  # fmt: skip


def test_a_drug_line_labels_the_date_that_it_ends_on(letter):
    made = letter("[[med:biso form=line]]\n[[med:rami form=line variant=aufnahme]]")
    first, second = made.text.split("\n")
    assert first.endswith("1-0-0, bis einschl. 12.05. (neu: KHK)")
    assert "Ramipril 2,5" in second
    assert [(span.label, made.surface(span)) for span in made.spans] == [("DATE_EVENT", "12.05.")]


def test_vital_signs_and_length_of_stay_are_plain_text(letter):
    made = letter("RR [[vital:rr variant=aufnahme]], HF [[vital:puls]], "
                  "T [[vital:temperatur]], [[los]] Tage")  # fmt: skip
    assert made.text == "RR 165/95, HF 92, T 37,4, 9 Tage"
    assert made.spans == made.clinical == ()


def test_what_the_letter_lacks_is_said_in_one_line(letter):
    for skeleton in (
        "[[enkel]]", "[[fax]]", "[[ereignis:x]]", "[[diagnosis:nstmi]]", "[[lab:crb]]",
        "[[lab:crp variant=verlauf]]", "[[med:x]]", "[[vital:pulz]]", "[[patient form=maiden]]",
        "[[oberarzt form=diminutive]]", "[[nonpii_id:lot]]", "<<lab:x>>y<</lab>>",
        "<<diagnosis:x>>y<</diagnosis>>", "[[procedure:x]]",
    ):  # fmt: skip
        with pytest.raises(DataError) as error:
            letter(skeleton)
        assert "\n" not in str(error.value)


def test_the_document_carries_what_it_was_made_from(letter):
    made = letter("[[patient]]")
    assert made.meta["difficulty"] == "easy"
    assert made.meta["case"] == "nstemi"
    assert made.meta["attributes"]["patient"]["family"] == "Çam"
    assert made.meta["attributes"]["dates"]["brief"] == "2026-04-09"
    assert json.loads(json.dumps(made.to_record())) == made.to_record()


def test_the_same_letter_twice(letter, attributes):
    skeleton = from_text("[[aufnahme]] [[telefon]] [[med:biso]] [[brief]]", case="nstemi")
    once = render(skeleton, attributes, id="L1", meta={"seed": 7})
    assert once == render(skeleton, attributes, id="L1", meta={"seed": 7})
    assert once.meta["seed"] == 7


def test_a_patient_with_one_short_name_can_be_mistyped(letter):
    made = letter("[[patient form=typo]]", patient=Person(sex="f", given=("An",), family="Li"))
    assert made.text == "An Lii"
    assert made.spans[0].details["typo"] == "Li"
