"""JUnit XML: a failed test per finding, an error per file that was not analysed."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from heapflow.report.document import Report
from heapflow.report.finding import Finding
from heapflow.report.wording import headline, sentence
from heapflow.support.visible import visible

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-�\U00010000-\U0010ffff]")


def render_junit(report: Report) -> str:
    suite = Element("testsuite", name="heapflow")
    failures = errors = skipped = 0
    for finding in report.findings:
        file = _clean(finding.primary.file)
        case = SubElement(suite, "testcase", classname=file, name=_name(finding))
        if finding.suppressed is not None:
            skipped += 1
            SubElement(case, "skipped", message=_clean(finding.suppressed.reason or "suppressed"))
        else:
            failures += 1
            failure = SubElement(
                case, "failure", type=finding.rule.value, message=_clean(headline(finding))
            )
            failure.text = "\n".join(_clean(line) for line in _path(finding))
    for name, error in _errors(report):
        errors += 1
        case = SubElement(suite, "testcase", classname=_clean(name), name="analysed")
        SubElement(case, "error", message=_clean(error, keep="\n"))
    if not len(suite):
        SubElement(suite, "testcase", classname="heapflow", name="no leaks found")
    suite.attrib |= {
        "tests": str(len(suite)),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(skipped),
    }
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, "unicode") + "\n"


def _name(finding: Finding) -> str:
    place = finding.primary
    where = f"{place.function}:{place.line}" if place.function else f"line {place.line}"
    if place.instruction >= 0:
        where = f"{place.function}+{place.instruction}"
    return _clean(f"{finding.rule.value} {where}")


def _path(finding: Finding) -> list[str]:
    lines = [f"{finding.primary}: {headline(finding)}"]
    lines += [f"{step.place}: {sentence(step, finding)}" for step in finding.path]
    lines += [f"{place}: other paths lose it here" for place in finding.elsewhere]
    lines += [f"{place}: other paths free it here" for place in finding.frees]
    lines += finding.remarks
    return lines


def _errors(report: Report) -> list[tuple[str, str]]:
    found = [(failed.file, failed.error.strip()) for failed in report.summary.failed]
    if report.nothing_analysed:
        found.append(("heapflow", "nothing was analysed"))
    return found


def _clean(text: str, keep: str = "") -> str:
    return _NOT_XML.sub("\ufffd", visible(text, keep))
