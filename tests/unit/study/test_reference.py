"""Every key is described once; the page in docs is what the models say."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsgauge.cli.explain import command
from fsgauge.errors import InputError
from fsgauge.study.keys import SECTIONS, all_dotted
from fsgauge.study.policies import POLICIES
from fsgauge.study.reference import explain_key, reference_page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "study-file.md"


def test_every_key_has_a_description():
    for section in SECTIONS:
        for key, field in section.fields.items():
            assert (field.description or "").endswith("."), section.dotted(key)


def test_the_page_is_current():
    assert PAGE.read_text("utf-8") == reference_page(), (
        "run: python -m fsgauge.study > docs/reference/study-file.md"
    )


def test_explain():
    said = explain_key("workload.block_sizes")
    assert said.startswith("workload.block_sizes (kind overhead)\n  Sizes of one operation.")
    assert "takes: list of size" in said
    assert 'default: ["4 KiB", "16 KiB", "64 KiB", "256 KiB"]' in said
    assert "workload.block_sizes (kind writers)\n  Sizes of one write." in said
    assert explain_key("block_sizes").startswith(said)
    assert "(kind ram)" in explain_key("storage.size")
    assert "[[system]]" in explain_key("[[system]]")


def test_explain_says_what_a_default_depends_on_and_what_a_size_is():
    assert "default: fallocate for systems with an allocation_chunk" in explain_key("aged_by")
    chunk = explain_key("system.allocation_chunk")
    assert "takes: size" in chunk and "default: none, the file system decides" in chunk
    assert "takes: size" in explain_key("system.extent_size_hint")
    assert "see there" not in reference_page()


def test_a_quantity_is_described_by_its_type():
    assert "takes: list of whole percentage\n" in explain_key("workload.levels")
    assert "takes: whole percentage\n" in explain_key("workload.rate_fill")
    assert 'takes: pace, such as "1000 IOPS"\n' in explain_key("workload.rate")


def test_a_default_that_depends_ends_with_its_sentence():
    said = explain_key("workload.submit_batch")
    assert said.endswith("default: 1 where a load bypasses the page cache, else 16")


def test_every_key_can_be_explained():
    for name in all_dotted():
        assert name.rpartition(".")[2] in explain_key(name)


def test_an_unknown_key_is_answered_with_the_nearest():
    with pytest.raises(InputError) as refusal:
        explain_key("workload.blocksize")
    assert refusal.value.next == "fsgauge explain workload.block_sizes"


def explained(name: str) -> str:
    shown = CliRunner().invoke(command, [name])
    assert shown.exit_code == 0, shown.output
    return " ".join(shown.output.split())


@pytest.mark.parametrize("kind", POLICIES)
def test_every_policy_is_explained_with_its_settings(kind: str) -> None:
    """No word, number or key was called "ldiskfs"."""
    said = explained(kind)
    for name, setting in POLICIES[kind].settings.items():
        assert f"{name}: {setting.what}. Takes {setting.limits()}." in said
        setting.read(setting.default)
    assert f"--system {kind}" in said or f"--system '{kind}" in said


def test_a_setting_is_explained_by_its_name_and_by_its_key() -> None:
    said = explained("prealloc_table")
    assert said == explained("system.settings.prealloc_table")
    assert "of ldiskfs" in said and "from 1 to 32768" in said
    assert "allocsize=0" in explained("allocsize")
