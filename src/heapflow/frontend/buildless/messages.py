"""What clang's errors say, as far as there is a repair for them.

In:    clang's messages.      Out: `Complaint`s with place, kind and the name that is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum


class Kind(Enum):
    """What is wrong."""

    FILE = "a header that nothing has"
    FILE_BY_MACRO = "a header whose name is an unknown macro"
    TYPE = "an unknown type"
    IDENTIFIER = "an unknown identifier"
    INCOMPLETE = "a struct without definition"
    MEMBER = "an unknown member"
    NOT_A_POINTER = "a member that has to be a pointer"
    NOT_A_FUNCTION = "a member that has to be a function"
    NOT_A_STRUCT = "an invented integer that has to be a struct"
    NOT_A_NUMBER = "an invented struct that has to be a number"
    IS_A_STRUCT = "something taken for a number that has to be a struct"
    IS_A_NUMBER = "an invented text that has to be a number"
    NO_MACRO = "a condition that calls an unknown macro"
    NOT_CONSTANT = "an invented variable that has to be a number"
    IS_A_MACRO = "a function that a header makes a macro"
    PARAMETER = "a macro around the name of a parameter"
    CLASH = "a second definition"
    DECLARATION = "a declaration that does not parse"
    OTHER = "anything else"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One error."""

    kind: Kind
    file: str
    line: int
    column: int
    name: str = ""  # of the type, identifier, header or struct
    member: str = ""
    text: str = ""
    other: str = ""  # the file of the declaration that a second one clashes with
    other_line: int = 0


_PREVIOUS = re.compile(
    r"^(.+?):(\d+):\d+: note: previous (?:\w+ )?(?:definition|declaration) is here$", re.M
)
_ERROR = re.compile(r"^(.+?):(\d+):(\d+): (?:fatal )?error: (.*)$", re.M)
_KINDS = (
    (Kind.FILE, r"'([^']+)' file not found"),
    (Kind.FILE_BY_MACRO, r"expected \"FILENAME\" or <FILENAME>()"),
    (Kind.TYPE, r"unknown type name '(\w+)'"),
    (Kind.TYPE, r"must use '(?:struct|union|enum)' tag to refer to type '(\w+)'"),
    (Kind.IDENTIFIER, r"use of undeclared identifier '(\w+)'"),
    (Kind.MEMBER, r"no member named '(?P<member>\w+)' in '(?:struct |union )?(\w+)'"),
    (
        Kind.MEMBER,
        r"field designator '(?P<member>\w+)' does not refer to any field in type '(?:\w+ )?(\w+)'",
    ),
    (
        Kind.INCOMPLETE,
        r"incomplete .*\(aka '[^']*?(?:(?P<member>enum)|struct|union) (\w+)(?: \*)?'\)",
    ),
    (Kind.INCOMPLETE, r"incomplete [^']*'[^']*?(?P<member>enum) (\w+)'"),
    (
        Kind.INCOMPLETE,
        r"'[^']*?(?:(?P<member>enum)|struct|union) (\w+)' (?:is|that was) incomplete",
    ),
    (Kind.INCOMPLETE, r"incomplete [^']*'[^']*?(?:struct|union) (\w+)'"),
    (Kind.INCOMPLETE, r"incomplete (?:definition of )?(?:result )?type '[^']*?(\w+)'"),
    (Kind.INCOMPLETE, r"'sizeof' to an incomplete type '[^']*?(\w+)'"),
    (Kind.INCOMPLETE, r"pointer to an incomplete type '[^']*?(\w+)'"),
    (Kind.INCOMPLETE, r"subscript of pointer to incomplete type '[^']*?(\w+)'"),
    (Kind.NOT_A_POINTER, r"member reference type '(?:const )?long' is not a pointer()"),
    (Kind.NOT_A_POINTER, r"indirection requires pointer operand \('(?:const )?long' invalid\)()"),
    (Kind.NOT_A_POINTER, r"subscripted value is not an array, pointer, or vector()"),
    (Kind.NOT_A_POINTER, r"member reference type '(\w+)' \(aka 'long'\) is not a pointer"),
    (Kind.NOT_A_POINTER, r"member reference type '(\w+)' \(aka 'struct \1'\) is not a pointer"),
    (
        Kind.NOT_A_POINTER,
        r"indirection requires pointer operand \('(\w+)' \(aka 'long'\) invalid\)",
    ),
    (Kind.NOT_A_FUNCTION, r"called object type 'long' is not a function or function pointer()"),
    (Kind.NOT_A_FUNCTION, r"called object type '(\w+)' \(aka 'long'\) is not a function"),
    (Kind.NOT_A_FUNCTION, r"'cleanup' argument '(\w+)' is not a function"),
    (Kind.NOT_A_STRUCT, r"member reference base type '(?:const )?long' is not a structure()"),
    (
        Kind.NOT_A_STRUCT,
        r"initialization of non-aggregate type '(?:const )?(\w+)' \(aka '(?:const )?long'\)",
    ),
    (Kind.NOT_A_STRUCT, r"member reference base type '(\w+)' \(aka 'long'\) is not a structure"),
    (Kind.NOT_A_STRUCT, r"member reference type '(\w+) \*' \(aka 'long \*'\)"),
    (
        Kind.IS_A_STRUCT,
        r"(?:from|with an expression of) incompatible type '(?:int|long)'()|^returning '(?:int|long)' ",
    ),
    (Kind.IS_A_STRUCT, r"^passing '(?:int|long)' to parameter of incompatible type()"),
    (
        Kind.IS_A_STRUCT,
        r"(?:assigning to|initializing) 'long' .*incompatible type '(?:const )?struct()",
    ),
    (Kind.NOT_A_POINTER, r"member reference type 'int' is not a pointer()"),
    (Kind.NOT_A_STRUCT, r"member reference base type 'int' is not a structure()"),
    (Kind.NO_MACRO, r"function-like macro '(\w+)' is not defined"),
    (Kind.NO_MACRO, r"token is not a valid binary operator in a preprocessor subexpression()"),
    (Kind.IS_A_NUMBER, r"invalid operands to binary expression \(.*'(?:const )?char ?\[\d+\]'()"),
    (Kind.IS_A_NUMBER, r"invalid operands to binary expression \(.*'struct heapflow_any \*'()"),
    (Kind.NOT_A_NUMBER, r"used type '(\w+)'.* where arithmetic or pointer type is required"),
    (Kind.NOT_A_NUMBER, r"invalid operands to binary expression .*'(\w+)' \(aka 'struct \1'\)"),
    (Kind.NOT_A_NUMBER, r"'(\w+)' \(aka 'struct \1'\).* (?:incompatible type|of type) "),
    (Kind.NOT_A_NUMBER, r"(?:to|with|from|initializing) '(\w+)' \(aka 'struct \1'\)"),
    (Kind.NOT_A_NUMBER, r"incompatible result type '(\w+)' \(aka 'struct \1'\)"),
    (Kind.NOT_A_NUMBER, r"statement requires expression of .* \('(\w+)'"),
    (Kind.NOT_CONSTANT, r"expression is not an integer constant expression()"),
    (Kind.NOT_CONSTANT, r"initializer element is not a compile-time constant()"),
    (Kind.IS_A_MACRO, r"too \w+ arguments provided to function-like macro invocation()"),
    (Kind.PARAMETER, r"a parameter list without types is only allowed in a function definition()"),
    (Kind.PARAMETER, r"type name requires a specifier or qualifier()"),
    (Kind.PARAMETER, r"redefinition of parameter '\w+'()"),
    (Kind.CLASH, r"(?:re)?definition of '(?:struct |enum |union )?(\w+)'"),
    (Kind.CLASH, r"redeclaration of '(\w+)' with a different type"),
    (Kind.CLASH, r"duplicate member '(\w+)'"),
    (Kind.CLASH, r"conflicting types for '(\w+)'"),
    (Kind.CLASH, r"declaration of '(\w+)' follows"),
    (Kind.CLASH, r"redefinition of '(\w+)' as different kind"),
    (Kind.CLASH, r"typedef redefinition with different types()"),
    (Kind.CLASH, r"use of '(\w+)' with tag type that does not match"),
    (Kind.DECLARATION, r"expected function body after function declarator()"),
    (Kind.DECLARATION, r"expected ';' after top level declarator()"),
    (Kind.DECLARATION, r"expected identifier or '\('()"),
    (Kind.DECLARATION, r"expected ';' at end of declaration list()"),
    (Kind.DECLARATION, r"expected parameter declarator()"),
    (Kind.DECLARATION, r"expected '\)'()"),
    (Kind.DECLARATION, r"expected expression()"),
    (Kind.DECLARATION, r"expected ';' after (?:expression|return statement|do/while statement)()"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)


def complaints_of(said: str) -> list[Complaint]:
    """The errors in the order in which they were made."""
    errors = list(_ERROR.finditer(said))
    ends = [*(found.start() for found in errors[1:]), len(said)]
    complaints = []
    for found, end in zip(
        errors, ends, strict=False
    ):  # without an error there is an end all the same
        previous = _PREVIOUS.search(said, found.end(), end)
        one = _complaint(found[1], int(found[2]), int(found[3]), found[4])
        complaints.append(_with_previous(one, previous) if previous else one)
    return complaints


def _with_previous(one: Complaint, previous: re.Match[str]) -> Complaint:
    return replace(one, other=previous[1], other_line=int(previous[2]))


def _complaint(file: str, line: int, column: int, text: str) -> Complaint:
    for kind, pattern in _COMPILED:
        if found := pattern.search(text):
            groups = found.groupdict()
            name = next((one for one in reversed(found.groups()) if one is not None), "")
            return Complaint(kind, file, line, column, name, groups.get("member") or "", text)
    return Complaint(Kind.OTHER, file, line, column, text=text)
