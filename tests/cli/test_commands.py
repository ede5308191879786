"""What every command prints, writes and exits with."""

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from support.command import Command, as_csv, clouds
from thresher.cli.app import COMMANDS


def records(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_help_lists_every_command(command: Command) -> None:
    answer = command("--help")
    assert answer.code == 0
    assert all(name in answer.out for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "paper"])
def test_every_command_has_help(command: Command, name: str) -> None:
    answer = command(name, "--help")
    assert answer.code == 0
    assert "Usage" in answer.out


def test_version_is_the_package_s(command: Command) -> None:
    assert th.__version__ in command("--version").out


def test_nothing_asked_is_help(command: Command) -> None:
    answer = command()
    assert answer.code == 0
    assert "Usage" in answer.out


class TestFit:
    def test_agrees_with_the_library(self, command: Command, rows: Path) -> None:
        facts = command("fit", rows, "-t", "y", "--C", 0.5, "--json").facts
        expected = th.svm_path(*clouds(), C=[0.5], intercept="free")[0]
        np.testing.assert_allclose(facts["coef"][0], expected.coef, rtol=1e-6)
        np.testing.assert_allclose(facts["intercepts"], [expected.intercept], atol=1e-6)
        assert facts["converged"]
        assert facts["gap"] <= 1e-6

    def test_says_what_was_fitted_and_saves_it(self, command: Command, rows: Path) -> None:
        answer = command("fit", rows, "-t", "y", "-o", "model.json")
        assert answer.code == 0
        assert "60 rows × 3 columns" in answer.out
        assert "proven within --tol" in answer.out
        assert json.loads(Path("model.json").read_text())["features"] == ["a", "b", "c"]

    def test_standardised_columns_give_coefficients_for_the_file_s(self, command: Command) -> None:
        X, y = clouds()
        scaled = command.file("scaled.csv", as_csv(X * [1e3, 1.0, 1e-3] + [7.0, 0.0, 1.0], y))
        one = command(
            "fit", command.file("rows.csv", as_csv(X, y)), "-t", "y", "--standardise", "--json"
        ).facts
        other = command("fit", scaled, "-t", "y", "--standardise", "--json").facts
        np.testing.assert_allclose(np.multiply(other["coef"], [1e3, 1.0, 1e-3]), one["coef"], rtol=1e-4)
        assert one["training"] == other["training"]

    def test_weight_two_is_a_row_twice(self, command: Command) -> None:
        X, y = clouds()
        twice = command.file("twice.csv", as_csv(np.repeat(X, 2, axis=0), np.repeat(y, 2)))
        weighted = np.column_stack([X, np.full(len(X), 2.0)])
        once = command.file("once.csv", as_csv(weighted, y, "a,b,c,weight,y"))
        one = command("fit", twice, "-t", "y", "--json").facts
        other = command("fit", once, "-t", "y", "-w", "weight", "--json").facts
        assert other["columns"] == ["a", "b", "c"]
        np.testing.assert_allclose(one["coef"], other["coef"], rtol=1e-5)

    @pytest.mark.parametrize(
        ("options", "make"),
        [
            (["--loss", "absolute"], th.lad_path),
            (
                ["--loss", "pinball", "--quantile", "0.8"],
                lambda *a, **k: th.quantile_path(*a, quantile=0.8, **k),
            ),
            (
                ["--loss", "insensitive", "--epsilon", "0.3"],
                lambda *a, **k: th.svr_path(*a, epsilon=0.3, **k),
            ),
        ],
    )
    @pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
    def test_regressions(self, command: Command, targets: Path, options, make, intercept: str) -> None:
        data = np.loadtxt(targets, delimiter=",", skiprows=1)
        expected = make(data[:, :3], data[:, 3], C=[1.0], intercept=intercept)[0]
        facts = command("fit", targets, "-t", "y", "--intercept", intercept, "--json", *options).facts
        np.testing.assert_allclose(facts["coef"][0], expected.coef, rtol=1e-4, atol=1e-6)

    def test_a_gap_that_is_not_met_is_said_and_the_model_saved(self, command: Command, rows: Path) -> None:
        answer = command("fit", rows, "-t", "y", "--tol", "1e-300", "-o", "model.json")
        assert answer.code == 4
        assert "above --tol" in answer.complaint
        assert not json.loads(Path("model.json").read_text())["met"]


class TestPredict:
    @pytest.fixture
    def three(self, command: Command) -> Path:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(90, 3)).round(6)
        names = np.array(["red", "green", "blue"])[X.argmax(axis=1)]
        return command.file("three.csv", as_csv(X, names))

    def test_names_of_classes_come_back(self, command: Command, three: Path) -> None:
        assert command("fit", three, "-t", "y", "-o", "model.json", "--C", 100).code == 0
        answer = command("predict", "model.json", three)
        predicted = answer.out.split()
        assert answer.code == 0
        assert answer.err.startswith("accuracy 0.")
        truth = [record["y"] for record in records(three)]
        assert np.mean(np.array(predicted) == truth) > 0.9

    def test_columns_are_found_by_name(self, command: Command, rows: Path) -> None:
        command("fit", rows, "-t", "y", "-o", "model.json")
        X, _ = clouds()
        shuffled = command.file("other.csv", as_csv(X[:, [2, 0]], X[:, 1], "c,a,b"))
        one = command("predict", "model.json", rows, "--json").facts
        other = command("predict", "model.json", shuffled, "--json").facts
        assert one["prediction"] == other["prediction"]
        assert "accuracy" in one
        assert "accuracy" not in other

    def test_scores_and_output(self, command: Command, rows: Path) -> None:
        command("fit", rows, "-t", "y", "-o", "model.json")
        assert command("predict", "model.json", rows, "--scores", "-o", "out.csv").code == 0
        for record in records(Path("out.csv")):
            assert (float(record["score"]) > 0) == (record["prediction"] == "1")

    def test_a_missing_column_is_named(self, command: Command, rows: Path) -> None:
        command("fit", rows, "-t", "y", "-o", "model.json")
        answer = command("predict", "model.json", command.file("less.csv", "a,b\n1,2\n"))
        assert answer.code == 2
        assert answer.complaint.endswith("lacks columns that the model needs: c")


class TestPath:
    def test_agrees_with_the_library(self, command: Command, rows: Path) -> None:
        facts = command("path", rows, "-t", "y", "--Cs", "0.01:10:20", "--json").facts
        expected = th.svm_path(*clouds(), C=np.geomspace(0.01, 10, 20), intercept="free")
        points = facts["points"]
        np.testing.assert_allclose([point["C"] for point in points], expected.C)
        np.testing.assert_allclose([point["coef"] for point in points], expected.coef, rtol=1e-6, atol=1e-9)
        assert facts["converged"]

    def test_table_for_people(self, command: Command, rows: Path) -> None:
        answer = command("path", rows, "-t", "y")
        assert answer.code == 0
        assert "101 values of C" in answer.out
        assert "proven LOWER" in answer.out

    def test_files(self, command: Command, rows: Path) -> None:
        for name in ("path.csv", "path.json", "path.npz"):
            assert command("path", rows, "-t", "y", "--Cs", "0.1,1,10", "-o", name).code == 0
        assert [float(record["C"]) for record in records(Path("path.csv"))] == [0.1, 1.0, 10.0]
        assert len(json.loads(Path("path.json").read_text())["points"]) == 3
        problem = th.Problem.svm(*clouds(), intercept="free")
        assert len(th.Path.load("path.npz", problem)) == 3

    def test_not_converged(self, command: Command, rows: Path) -> None:
        answer = command("path", rows, "-t", "y", "--Cs", "3", "--tol", "1e-300", "-o", "path.csv")
        assert answer.code == 4
        assert "did not reach --tol" in answer.complaint
        assert len(records(Path("path.csv"))) == 3

    def test_progress_where_a_person_looks_on(
        self, command: Command, rows: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from rich.console import Console

        screen = io.StringIO()
        monkeypatch.setattr(
            "thresher.cli.progress.console", lambda: Console(file=screen, force_terminal=True, width=120)
        )
        assert command("path", rows, "-t", "y", "--Cs", "0.1,1", "--json").facts["converged"]
        assert "2/2" in screen.getvalue()
        assert "rows proven" in screen.getvalue()
        assert command("fit", rows, "-t", "y").code == 0
        assert "fitting" in screen.getvalue()

    def test_ctrl_c_keeps_what_is_finished(
        self, command: Command, rows: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        call = ["path", rows, "-t", "y", "--Cs", "0.01:10:10", "-o", "kept.npz"]
        interrupt_after(monkeypatch, 4)
        answer = command(*call)
        assert answer.code == 130
        assert answer.complaint == "interrupted after 4 of 10 values of C, kept in kept.npz"
        monkeypatch.undo()
        os.chdir(command.folder)
        seen = interrupt_after(monkeypatch, 99)
        assert command(*call, "--resume", "kept.npz").code == 0
        assert len(seen) == 6
        assert len(th.Path.load("kept.npz", th.Problem.svm(*clouds(), intercept="free"))) == 10

    def test_another_file_s_path_is_not_resumed(self, command: Command, rows: Path, targets: Path) -> None:
        command("path", rows, "-t", "y", "--Cs", 3, "-o", "kept.npz")
        answer = command("path", targets, "-t", "y", "--loss", "absolute", "--resume", "kept.npz")
        assert answer.code == 3
        assert "another problem" in answer.complaint


def interrupt_after(monkeypatch: pytest.MonkeyPatch, points: int) -> list[float]:
    """Let Ctrl-C come after so many points; returns the points seen."""
    from contextlib import contextmanager

    seen: list[float] = []

    def callback(solution: th.Solution) -> None:
        seen.append(solution.C)
        if len(seen) == points:
            raise KeyboardInterrupt

    @contextmanager
    def progress(total: int):
        yield callback

    monkeypatch.setattr("thresher.cli.commands.path.path_progress", progress)
    return seen


class TestCv:
    def test_chooses_and_saves(self, command: Command, rows: Path) -> None:
        answer = command("cv", rows, "-t", "y", "--Cs", "0.001:10:9", "--folds", 3, "-o", "model.json")
        assert answer.code == 0
        assert "← chosen" in answer.out
        assert command("predict", "model.json", rows).code == 0

    def test_json(self, command: Command, targets: Path) -> None:
        options = ["--loss", "absolute", "--Cs", 5, "--folds", 3, "--jobs", 2, "--one-se", "--json"]
        facts = command("cv", targets, "-t", "y", *options).facts
        assert np.shape(facts["scores"]) == (3, 5)
        assert facts["C"] in facts["Cs"]

    def test_too_few_rows_for_the_folds(self, command: Command) -> None:
        answer = command("cv", command.file("few.csv", "a,y\n1,0\n2,1\n3,1\n"), "-t", "y")
        assert answer.code == 3
        assert "n_splits=5" in answer.complaint


class TestReduce:
    @pytest.mark.parametrize("ending", ["csv", "npz"])
    def test_has_the_optimum_of_all_rows(self, command: Command, rows: Path, ending: str) -> None:
        small = f"small.{ending}"
        answer = command("reduce", rows, "-t", "y", "--C", 0.5, "-o", small)
        assert answer.code == 0
        assert "have the optimum of all" in answer.out
        call = ["-t", "y", "--C", 0.5, "--json"]
        full = command("fit", rows, *call).facts
        less = command("fit", small, *call, "-w", "sample_weight").facts
        assert less["rows"] < full["rows"]
        np.testing.assert_allclose(less["coef"], full["coef"], rtol=1e-5)

    def test_json(self, command: Command, rows: Path) -> None:
        facts = command("reduce", rows, "-t", "y", "--C", "0.5:0.6", "--json").facts
        assert facts["C"] == [0.5, 0.6]
        assert len(facts["kept_rows"]) == facts["kept"]

    def test_standardise_is_refused(self, command: Command, rows: Path) -> None:
        assert command("reduce", rows, "-t", "y", "--standardise").code == 2


class TestExplain:
    def test_one_row(self, command: Command, rows: Path) -> None:
        answer = command("explain", rows, "-t", "y", "--Cs", "0.1:10:40", "--row", 3)
        assert answer.code == 0
        assert "row 3, y = 1" in answer.out
        assert "certificates at C" in answer.out

    def test_all_rows(self, command: Command, rows: Path) -> None:
        answer = command("explain", rows, "-t", "y", "-o", "spans.csv")
        assert answer.code == 0
        assert "KINK   on the margin" in answer.out
        spans = records(Path("spans.csv"))
        assert {span["fate"] for span in spans} == {"LOWER", "KINK", "UPPER"}
        assert {int(span["row"]) for span in spans} == set(range(60))

    def test_spans_are_true_at_other_values_of_C(self, command: Command, rows: Path) -> None:
        """What one path's certificates prove agrees with the exact solution anywhere in a span."""
        spans = command("explain", rows, "-t", "y", "--Cs", "0.1:10:15", "--json").facts["spans"]
        X, y = clouds()
        problem = th.Problem.svm(X, y, intercept="free")
        inside = {"LOWER": 0, "UPPER": 0}
        for C in (0.13, 0.77, 3.3):
            exact = th.solve_path(problem, [C], tol=1e-12)[0]
            margins = y * (X @ exact.coef + exact.intercept)
            for row, fate, since, until in zip(
                spans["row"], spans["fate"], spans["since"], spans["until"], strict=True
            ):
                if fate != "KINK" and since < C < (np.inf if until is None else until):
                    inside[fate] += 1
                    assert margins[row] > 1 - 1e-9 if fate == "LOWER" else margins[row] < 1 + 1e-9
        assert min(inside.values()) > 5

    def test_a_tube_has_two_sides(self, command: Command, targets: Path) -> None:
        facts = command("explain", targets, "-t", "y", "--loss", "insensitive", "--json").facts
        assert set(facts["spans"]["side"]) == {"above", "below"}
        assert facts["rows"] == 60

    def test_no_such_row(self, command: Command, rows: Path) -> None:
        answer = command("explain", rows, "-t", "y", "--row", 60)
        assert answer.code == 2
        assert "no row 60" in answer.complaint


class TestBench:
    def test_agrees_with_the_peer(self, command: Command, rows: Path) -> None:
        options = ["--Cs", "0.1,1", "--intercept", "none", "-o", "bench.json", "--json"]
        facts = command("bench", rows, "-t", "y", *options).facts
        ours, theirs = facts["solvers"]
        assert ours["done"] == theirs["done"] == 2
        assert -1e-6 <= theirs["worst"] < 0.1
        assert json.loads(Path("bench.json").read_text()) == facts

    def test_says_when_there_is_no_peer(self, command: Command, targets: Path) -> None:
        answer = command("bench", targets, "-t", "y", "--loss", "pinball", "--Cs", "1,2")
        assert "no solver" in answer.out


class TestOthers:
    def test_completion(self, command: Command) -> None:
        answer = command("completion", "bash")
        assert answer.code == 0
        assert "_THRESHER_COMPLETE" in answer.out

    def test_paper_says_its_options(self, command: Command) -> None:
        assert command("paper", "--help").code == 0

    def test_demo(self, command: Command) -> None:
        facts = command("demo", "--json", "-o", "out").facts
        assert facts["gap"] <= 1e-6
        for entry in facts["compared"]:
            assert entry["thresher"] <= entry["scikit-learn"] * (1 + 1e-9)
        assert all(Path(file).stat().st_size > 10_000 for file in facts["files"])
