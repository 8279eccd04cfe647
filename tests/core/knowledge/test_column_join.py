from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Code
from core.io.findings import Findings
from core.knowledge.column_join import joined
from core.knowledge.columns import build_columns
from core.knowledge.schema import Field, FieldType

if TYPE_CHECKING:
    from core.knowledge.schema import Column

FIELDS = (
    Field("i", FieldType.INT, 7),
    Field("f", FieldType.FLOAT, None, True),
    Field("s", FieldType.STRING, None, True),
    Field("b", FieldType.BOOL, False),
    Field("t", FieldType.SET, None, True),
)
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "i": st.integers(-9, 9),
        "f": st.floats(-1, 1),
        "s": st.text("abc", max_size=2),
        "b": st.booleans(),
        "t": st.lists(st.text("abc", max_size=2), max_size=3),
    },
)
METADATA = st.lists(st.none() | RECORD, max_size=6)


def columns_of(metadata: list[dict[str, Any] | None]) -> dict[str, Column]:
    return build_columns(FIELDS, metadata, Findings(Code.InvalidEmbeddedStringStorageData))


@pytest.mark.slow
@given(METADATA, METADATA)
def test_joined_columns_are_those_of_all_records_at_once(
    first: list[dict[str, Any] | None], second: list[dict[str, Any] | None]
) -> None:
    one, other, whole = columns_of(first), columns_of(second), columns_of(first + second)
    for field in FIELDS:
        column, wanted = joined(one[field.name], other[field.name]), whole[field.name]
        assert column.values.tolist() == wanted.values.tolist()
        assert column.values.dtype == wanted.values.dtype
        assert column.present.tolist() == wanted.present.tolist()
        assert column.vocabulary == wanted.vocabulary
        assert np.array_equal(
            column.offsets if column.offsets is not None else [],
            wanted.offsets if wanted.offsets is not None else [],
        )
        assert not column.values.flags.writeable
