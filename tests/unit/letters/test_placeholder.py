import pytest

from mustermann.letters.grammar import grammar
from mustermann.letters.placeholder import PlaceholderError, parse, scan, write
from mustermann.letters.segments import Mention, Placeholder
from mustermann.letters.slots import SLOTS


def test_a_placeholder_takes_form_case_and_variant_in_any_order():
    wanted = Placeholder("patient", "", "hon_last", "akk", "typo")
    assert parse("[[patient form=hon_last case=akk variant=typo]]") == (wanted,)
    assert parse("[[ patient variant=typo  case=akk form=hon_last ]]") == (wanted,)


def test_an_argument_may_hold_blanks_and_signs():
    assert parse("[[eponym:Morbus Parkinson]]") == (Placeholder("eponym", "Morbus Parkinson"),)
    assert parse("[[nonpii_id:§ 39 SGB V]]") == (Placeholder("nonpii_id", "§ 39 SGB V"),)
    assert parse("[[ereignis:koro variant=my]]") == (Placeholder("ereignis", "koro", variant="my"),)


def test_mentions_are_edges_between_segments():
    assert parse("<<diagnosis:x>>ein [[eponym:Barrett]]<</diagnosis>>.") == (
        Mention(True, "diagnosis", "x"), "ein ", Placeholder("eponym", "Barrett"),
        Mention(False, "diagnosis"), ".",
    )  # fmt: skip


def test_single_brackets_and_comparisons_are_text():
    text = "[sic] Krea < 1,2, Leuko > 11, a[0], x]"
    assert parse(text) == (text,)


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("a\nbc [[patiet]]", 2, 4, "Did you mean 'patient'?"),
        ("[[patient form=hon_lst]]", 1, 1, "Did you mean 'hon_last'?"),
        ("[[patient form=hon_last case=acc]]", 1, 1, "Unknown case 'acc'"),
        ("[[aufnahme variant=dmy4]]", 1, 1, "Did you mean 'dmy"),
        ("[[aufnahme case=dat]]", 1, 1, "Expected no case for 'aufnahme'"),
        ("[[ort form=first_last]]", 1, 1, "Unknown form 'first_last' for 'ort'"),
        ("[[fallnr form=plain]]", 1, 1, "Expected no form for 'fallnr'"),
        ("x [[patient", 1, 3, "Found '[[' without ']]'"),
        ("x [[patient [[ort]]", 1, 3, "Found '[[' without ']]'"),
        ("[[patient]] ]] y", 1, 13, "Found ']]' without '[['"),
        ("[[patient form=upper form=upper]]", 1, 22, "stands twice"),
        ("[[patient fom=last_only]]", 1, 11, "Unknown key 'fom'"),
        ("[[patient form=]]", 1, 11, "Expected a value after form="),
        ("[[patient last_only]]", 1, 1, "Expected [[slot:argument"),
        ("[[]]", 1, 1, "Expected [[slot:argument"),
        ("[[ereignis]]", 1, 1, "Expected [[ereignis:…]]"),
        ("[[patient:x]]", 1, 1, "without argument"),
        ("[[patient variant=kollege]]", 1, 1, "Expected form=salutation"),
        ("[[med:x variant=gestern]]", 1, 1, "Unknown variant 'gestern'"),
        ("<<diagnose:x>>y<</diagnose>>", 1, 1, "Did you mean 'diagnosis'?"),
        ("<<diagnosis:x>>y", 1, 1, "Expected <</diagnosis>> before the end"),
        ("y<</diagnosis>>", 1, 2, "without <<diagnosis:…>>"),
        ("<<diagnosis:x>><</diagnosis>>", 1, 16, "Expected text between"),
        ("<<diagnosis:x>>a<<med:y>>b<</med>><</diagnosis>>", 1, 17, "inside <<diagnosis:…>>"),
        ("<<diagnosis>>y", 1, 1, "Expected <<atom:key>>"),
        ("<<diagnosis:>>y", 1, 1, "Expected a key"),
        ("a << b", 1, 3, "Expected <<atom:key>>"),
    ],
)
def test_each_fault_has_its_place(text, line, column, says):
    with pytest.raises(PlaceholderError) as error:
        parse(text, name="case 'x'")
    assert str(error.value).startswith(f"case 'x', line {line}, column {column}: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_scan_finds_every_fault_and_keeps_what_is_right():
    parsed = scan("[[patiet]] und [[ort]] und [[plz form=x]]")
    assert [fault.offset for fault in parsed.faults] == [0, 27]
    assert parsed.segments == (" und ", Placeholder("ort"), " und ")


def test_every_slot_has_a_grammar_and_takes_all_that_it_offers():
    for name, slot in SLOTS.items():
        head = f"{name}:x" if slot.argument else name
        allowed = grammar(name)
        for form in allowed.forms:
            parse(f"[[{head} form={form}]]")
        for case in allowed.cases:
            parse(f"[[{head} case={case}]]")


def test_running_text_with_brackets_cannot_be_written():
    with pytest.raises(PlaceholderError, match="Expected running text without"):
        write(["a [[ b"])
