"""Hospitals, practices, insurers, universities, professions and countries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find, lines_with
from mustermann.detectors.rules.words import (
    CAPITALISED,
    COMPOUND,
    COUNTRIES,
    PROFESSION_ENDINGS,
    PROFESSIONS,
    START,
    STATES,
    UPPER,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.detectors.rules.gazetteer import Gazetteer

_KIND = (
    r"(?:[Kk]linik(?:um|en|ums)?|KLINIK(?:UM)?|[Kk]rankenhaus(?:es)?|KRANKENHAUS|KKH|KH"
    r"|[Ss]pital(?:s|es)?|SPITAL|[Kk]linikverbund|[Hh]ospital|[Ll]azarett|[Ss]tift(?:ung)?"
    r"|[Uu]niversitätsmedizin|[Rr]ehazentrum|[Ss]anatorium|[Hh]ospiz|[Pp]flegeheim|[Ss]eniorenheim"
    r"|[Ss]eniorenzentrum|[Ss]eniorenstift|[Aa]ltenheim|[Aa]ltenpflegeheim|[Gg]esundheitszentrum"
    r"|[Hh]erzzentrum|MVZ|[Pp]oliklinik|[Aa]ltenzentrum|[Rr]eha-?[Zz]entrum"
    r"|[Rr]ehabilitationszentrum"
    r"|[Ss]eniorenresidenz|[Tt]herapiezentrum|[Pp]flegedienst|[Ss]ozialstation|[Dd]ialysezentrum)"
)
_TRIGGER = re.compile(
    "linik|LINIK|ankenha|ANKENHA|KKH|KH|pital|PITAL|azarett|tift|itätsmedizin|anatorium|ospiz|eim"
    "|MVZ"
    "|entrum|esidenz|flegedienst|zialstation"
)
_ADJECTIVE = r"(?:[A-ZÄÖÜ][a-zäöüß]+(?:er|es|e|en) )?"
_NEXT = rf"(?:(?:Bad|Sankt|St\.|Klein|Gro(?:ß|ss)|Schwäbisch|Neu|Alt|Maria|Mariä) )?{COMPOUND}"
_TAIL = (
    r"(?: (?:der|des|am|an der|im|in|in der|zum|zur|vom|von|bei|St\.|Sankt|Bad|zu den)"
    rf"(?: (?:Hl\.|Heiligen|Barmherzigen|Guten|Alten|Roten|St\.))? {_NEXT})"
)
_HYPHENED = re.compile(
    rf"(?<![\w-])(?:(?:{COMPOUND}|Städt\.|Ev\.|Kath\."
    rf"|St\.) )?(?:{CAPITALISED}-){{1,5}}{_KIND}(?![a-zäöü])"
    rf"(?: (?P<next>{_NEXT}))?{_TAIL}?"
)
_NAMED = re.compile(
    r"(?<![\w-])(?:(?:[A-ZÄÖÜ][a-zäöü]+(?:isches|ische|es)|Städt\.|Ev\.|Kath\.|Allg\.) )?"
    rf"(?:[{UPPER}][a-zäöüß]*)?{_KIND}(?![\w-])(?: für {COMPOUND}(?:(?:,| und| u\.) {COMPOUND})*)?"
    rf"(?:(?: (?P<next>{_NEXT}))|(?:{_TAIL}))+(?![\w-])"
)
_CENTRE = re.compile(
    rf"(?<![\w-])(?:Medizinisches|Universitäres|Klinisches"
    rf"|Onkologisches) Zentrum {COMPOUND}(?! für)"
)
_ADJECTIVE_NAME = re.compile(
    rf"(?<![\w-])(?:Klinikum|Krankenhaus|Hospital) {_ADJECTIVE}{COMPOUND}(?=[ ]*(?:\n|$|,))"
)
_DEPARTMENT = re.compile(
    rf"(?<![\w-])Klinik für {COMPOUND}(?:(?:,| und| u\.) {COMPOUND})* (?:des|am|der|im) "
    rf"{COMPOUND}(?: {COMPOUND})?"
)
_PRACTICE_WORDS = ("praxis", "Praxis", "Apotheke", "MVZ")
_UNIVERSITY_WORDS = ("Universität", "Hochschule")
_INSURER_WORDS = (
    "AOK", "BKK", "IKK", "KKH", "SVLFG", "DAK", "Barmer", "BARMER", "Techniker", "Debeka",
    "Knappschaft", "ÖGK", "BVA", "SVS", "HEK", "hkk", "kasse", "Krankenversicherung",
    "Kranken AG",
)  # fmt: skip
_PLACES = COUNTRIES | STATES
_HOUSE = re.compile(r"(?:[Hh]aus|[Kk]linik|[Ss]pital)")
_PRACTICE = re.compile(
    r"(?:(?:Gemeinschafts|Haus(?:arzt)?|Facharzt|Zahnarzt|Gruppen)?[Pp]raxis|Praxisgemeinschaft"
    r"|Apotheke|MVZ)(?: (?:Dres?\.|Drs\.|Prof\.)(?: med\.)?)?"
    rf" (?!für\b)(?:{CAPITALISED}\. ?)?{COMPOUND}(?:(?: und | & |/| ){COMPOUND}){{0,2}}"
)
_UNIVERSITY = re.compile(
    rf"{START}[\w'’]*(?:-{CAPITALISED}){{0,4}}-Universität(?: {_NEXT})?(?: zu {COMPOUND})?"
    r"|(?:Technische |Medizinische |Freie )?(?:Universität|Hochschule) (?!für\b|und\b)(?:zu )?"
    rf"{_NEXT}"
)
_PAYER = re.compile(
    r"(?:Krankenkasse|Krankenversicherung|Versicherung|Versicherer|Kostenträger|Kasse"
    r"|[Vv]ersichert bei(?: der)?|KK)(?: ?:| (?=bei )|(?<=der)|(?<=bei))\s?"
    rf"(?P<name>{COMPOUND}(?:[ –-]{{1,3}}(?:{COMPOUND}|die|und|für|der|&)(?![.:]))*)"
)
_INSURER = re.compile(
    rf"(?:(?:AOK|BKK|IKK|KKH|SVLFG|DAK)(?:[ –-]{{1,3}}(?!Nr)(?:{COMPOUND}|die|und|plus|classic"
    rf"|24)){{0,3}}"
    r"|Barmer(?: GEK| Ersatzkasse)?|BARMER|Techniker(?: Krankenkasse)?|Debeka|Knappschaft|ÖGK"
    r"|BVAEB|BVA"
    rf"|SVS|HEK|hkk|(?:{COMPOUND}[ ]){{0,2}}{COMPOUND}[ ]"
    r"(?:Krankenkasse|Ersatzkasse|Krankenversicherung|Gesundheitskasse|BKK)(?: AG| a\. ?G\.)?"
    rf"|{COMPOUND} (?:Lebens- und )?Kranken AG"
    rf"|[{UPPER}][a-zäöüß]*(?:kranken|regional|ersatz|land|bergmanns|beamten|privat|betriebs)kasse"
    rf"(?: {COMPOUND})?|(?:Regional|Bergmanns|Knappschafts)kasse {COMPOUND})(?!\w)"
)
_PROFESSION = re.compile(
    r"(?:ist|war|sei|als) (?:gelernte[rn]?|ausgebildete[rn]?|berufstätige[rn]?"
    r"|selbst(?:st)?ändige[rn]?"
    rf"|pensionierte[rn]?|ehemalige[rn]?|berentete[rn]?|angehende[rn]?) (?P<trained>{COMPOUND})"
    rf"|(?:Beruf|BERUF|Berufsanamnese|Tätigkeit)\s?: ?(?P<stated>{COMPOUND}(?: im {COMPOUND})?)"
    rf"|von Beruf(?: (?:sei|ist|war) (?:er|sie))? (?P<by>{COMPOUND})"
    r"|(?:arbeitet|tätig|beschäftigt|gearbeitet|Arbeit|berufstätig|berentet|pensioniert)"
    rf"[^.;\n]{{0,30}}? als (?:\w+[re]r? )?(?P<working>{COMPOUND})"
)
_EMPLOYER = re.compile(
    rf"(?:Arbeitgeber|[Bb]eschäftigt bei|[Aa]ngestellt bei|[Aa]rbeitet bei)(?: ?:| (?:der|dem))? "
    rf"(?P<name>{COMPOUND}(?: (?:{COMPOUND}|&|und))*(?: GmbH| AG| KG| e\. ?V\.)?)"
)
_LISTED = re.compile(
    rf"[;,] (?P<name>(?:frühere[rn]? |ehemalige[rn]? )?{COMPOUND})(?=[.;,]| in Rente| \(berentet)"
    rf"|(?:[Bb](?<!\w.)eruf(?:lich)?:?|[;,] früher|[;,] ehemals|zuvor als) (?P<by>(?:frühere[rn]? "
    rf"|ehemalige[rn]? )?{COMPOUND})(?=[.;,\n]| \()"
)
_STATED = re.compile(
    rf"\b(?:ist|sei|war) (?P<name>{COMPOUND})(?=[,.;)\n]| und\b| in\b| bei\b| im\b)"
)
_WORD = re.compile(rf"{START}[\w'’]*(?:-{CAPITALISED}){{0,4}}(?![\w-])")
_PLACE_BEFORE = re.compile(
    r"(?:\b(?:in|In|aus|nach|den|der|die|von|Bundesland|Wohnsitz)|[Ll]and(?: der Geburt)?:"
    r"|keit:)\s$"
)
_NO_PROFESSION = frozenset(
    [
        "Rentner",
        "Rentnerin",
        "Patient",
        "Patientin",
        "Folge",
        "Ursache",
        "Zeichen",
        "Ausdruck",
        "Hinweis",
        "Zufallsbefund",
    ]
)
_NO_PART = frozenset(
    [
        "Im",
        "In",
        "Am",
        "An",
        "Das",
        "Der",
        "Die",
        "Dem",
        "Den",
        "Des",
        "Vom",
        "Zum",
        "Zur",
        "Aus",
        "Bei",
        "Beim",
        "Ins",
        "Unser",
        "Unsere",
        "Ihr",
        "Ihre",
    ]
)


def find_organisations(text: str, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields hospitals, insurers, universities, professions and countries; may overlap."""
    yield from _hospitals(text, gazetteer)
    for line in lines_with(text, _PRACTICE_WORDS):
        for match in _PRACTICE.finditer(text, line.start, line.end):
            if not gazetteer.common_noun(match[0].split()[-1]):
                yield Find(*match.span(), "HOSPITAL")
    for line in lines_with(text, _UNIVERSITY_WORDS):
        for match in _UNIVERSITY.finditer(text, line.start, line.end):
            yield Find(*match.span(), "ORGANIZATION")
    for match in _PAYER.finditer(text):
        yield Find(*match.span("name"), "INSURER")
    for line in lines_with(text, _INSURER_WORDS):
        for match in _INSURER.finditer(text, line.start, line.end):
            if not text[max(0, match.start() - 1) : match.start()].isalnum():
                yield Find(*match.span(), "INSURER")
    yield from _professions(text)
    yield from _regions(text)


def _professions(text: str) -> Iterator[Find]:
    """Yields professions and employers."""
    for match in _PROFESSION.finditer(text):
        group = str(match.lastgroup)
        if match[group] not in _NO_PROFESSION:
            yield Find(*match.span(group), "PROFESSION")
    for match in _EMPLOYER.finditer(text):
        yield Find(*match.span("name"), "ORGANIZATION")
    for match in _LISTED.finditer(text):
        group = "name" if match["name"] else "by"
        word = match[group].split(" ")[-1]
        by_word = group == "by" and not match[0].startswith((";", ","))
        if by_word or word.lower().endswith(PROFESSION_ENDINGS) or _profession(word):
            yield Find(*match.span(group), "PROFESSION")
    for match in _STATED.finditer(text):
        if _profession(match["name"]):
            yield Find(*match.span("name"), "PROFESSION")


def _regions(text: str) -> Iterator[Find]:
    """Yields countries and states that somebody comes from."""
    if _PLACES.isdisjoint(_WORD.findall(text)):
        return
    for match in _WORD.finditer(text):
        label = "COUNTRY" if match[0] in COUNTRIES else "STATE" if match[0] in STATES else ""
        if label and _PLACE_BEFORE.search(text[max(0, match.start() - 18) : match.start()]):
            yield Find(*match.span(), label)


def _profession(word: str) -> bool:
    return word in PROFESSIONS or word.removesuffix("in") in PROFESSIONS


def _hospitals(text: str, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields named houses; the patterns run only on lines that hold a word for one."""
    done = 0
    for hit in _TRIGGER.finditer(text):
        if hit.start() < done:
            continue
        start = text.rfind("\n", 0, hit.start()) + 1
        done = (text.find("\n", hit.end()) + 1 or len(text) + 1) - 1
        for match in _DEPARTMENT.finditer(text, start, done):
            if _HOUSE.search(match[0][12:]):
                yield Find(*match.span(), "HOSPITAL")
        for pattern in (_CENTRE, _ADJECTIVE_NAME):
            for match in pattern.finditer(text, start, done):
                yield Find(*match.span(), "HOSPITAL")
        for pattern in (_HYPHENED, _NAMED):
            for match in pattern.finditer(text, start, done):
                yield from _hospital(match, gazetteer)


def _hospital(match: re.Match[str], gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields the named hospital, cut before words that are none of its name."""
    start, end = match.span()
    words = match[0].split(" ")
    while words[0] in _NO_PART and len(words) > 1:
        start += len(words.pop(0)) + 1
    first = words[0].split("-")[0]
    if "-" in words[0] and gazetteer.common_noun(first) and not match["next"]:
        return  # Hals-Nasen-Ohren-Klinik
    following = match["next"]
    if following and len(following) < 3:
        return
    if following and gazetteer.common_noun(following.split("-")[0].split(" ")[-1]):
        if match.re is _NAMED:
            return
        end = match.start("next") - 1
    if end > start:
        yield Find(start, end, "HOSPITAL")
