"""The mistakes that the frontend finds; the classes are defined when one is made."""

from typing import TYPE_CHECKING

from pcbatch.errors import handed_on

if TYPE_CHECKING:
    from pcbatch.frontend.diagnostics.syntax import (
        AsyncSyntax,
        AttributeAssignment,
        BareRaise,
        CachedChanges,
        CallInLambda,
        CapturedRebound,
        CaughtUnknown,
        ClassStatement,
        DeleteStatement,
        ExceptionUsed,
        FinallyWithin,
        FrameAccess,
        GeneratorInParts,
        GeneratorWithin,
        GlobalStatement,
        MatchStatement,
        NameUnbound,
        NestedRebinds,
        NoBatchAxis,
        RaisedUnknown,
        SeveralGenerators,
        SourceChanged,
        SourceEdited,
        SourceUnavailable,
        TryStatement,
        TypeStatement,
        UnknownSyntax,
        WithStatement,
        YieldExpression,
    )

__all__ = [
    "AsyncSyntax",
    "AttributeAssignment",
    "BareRaise",
    "CachedChanges",
    "CallInLambda",
    "CapturedRebound",
    "CaughtUnknown",
    "ClassStatement",
    "DeleteStatement",
    "ExceptionUsed",
    "FinallyWithin",
    "FrameAccess",
    "GeneratorInParts",
    "GeneratorWithin",
    "GlobalStatement",
    "MatchStatement",
    "NameUnbound",
    "NestedRebinds",
    "NoBatchAxis",
    "RaisedUnknown",
    "SourceChanged",
    "SourceEdited",
    "SourceUnavailable",
    "TryStatement",
    "TypeStatement",
    "UnknownSyntax",
    "WithStatement",
    "SeveralGenerators",
    "YieldExpression",
]

__getattr__ = handed_on(__name__, "syntax")
