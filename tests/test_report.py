"""The page of a path: its numbers are the path's, and a browser shows and updates them."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import thresher as th

pytest.importorskip("jinja2")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium to open pages with")


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) % 3, 1, -1)
    return rng.normal(0.6 * y[:, None], 1.0, size=(300, 4)), y


@pytest.fixture(scope="module")
def path() -> th.Path:
    return th.svm_path(*data(), C=np.geomspace(1e-2, 10, 12)[::-1])


def numbers_in(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


class TestContent:
    def test_numbers_are_the_path_s_in_ascending_order(self, path: th.Path) -> None:
        found = numbers_in(path.report().html)
        order = np.argsort(path.C)
        np.testing.assert_allclose(found["points"]["C"], path.C[order], rtol=1e-6)
        np.testing.assert_allclose(found["points"]["primal"], path.primal[order], rtol=1e-6)
        np.testing.assert_allclose(found["coef"], path.coef[order], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found["points"]["upper"], path.screened[order, 1], rtol=1e-6)

    def test_fates_add_up_and_are_those_of_the_solutions(self, path: th.Path) -> None:
        found = numbers_in(path.report().html)["fates"]
        assert (np.sum(list(found.values()), axis=0) == 300).all()
        order = np.argsort(path.C)
        assert found["UPPER"] == [int((path[k].fates == th.UPPER).sum()) for k in order]
        assert max(found["KINK"]) > 0

    def test_metrics(self, path: th.Path) -> None:
        metrics = numbers_in(path.report().html)["metrics"]
        X, y = data()
        last = path[0]
        margins = y * (X @ last.coef)
        assert metrics["mean loss"][-1] == pytest.approx(np.maximum(1 - margins, 0).mean(), rel=1e-5)
        assert metrics["training accuracy"][-1] == pytest.approx(np.mean(margins > 0), rel=1e-5)

    @pytest.mark.parametrize("make", [th.lad_path, th.quantile_path, th.svr_path])
    @pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
    def test_every_loss(self, make, intercept: str) -> None:
        X, _ = data()
        target = X[:, 0] + np.random.default_rng(1).normal(size=len(X))
        found = numbers_in(make(X, target, C=[0.1, 1.0], intercept=intercept).report().html)
        assert len(found["metrics"]["mean loss"]) == 2

    def test_only_the_largest_of_many_columns(self) -> None:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(50, 300)), np.where(np.arange(50) % 2, 1, -1)
        found = numbers_in(th.svm_path(X, y, C=[0.1, 1.0]).report().html)
        assert len(found["names"]) == len(found["coef"][0]) == 100
        assert found["columns"] == 300

    def test_scores(self, path: th.Path) -> None:
        scores = np.random.default_rng(0).random((5, len(path)))
        found = numbers_in(path.report(scores=scores, chosen=1.0).html)["scores"]
        np.testing.assert_allclose(found["mean"], scores.mean(axis=0)[::-1], rtol=1e-6)
        with pytest.raises(ValueError, match="folds × 12"):
            path.report(scores=scores.T)

    def test_names_cannot_break_the_page(self, path: th.Path) -> None:
        wild = ["</script><b>", "a & b", '"', "é"]
        page = path.report(title="<i>&", names=wild).html
        assert numbers_in(page)["names"] == wild
        assert "<title>&lt;i&gt;&amp;</title>" in page
        with pytest.raises(ValueError, match="names has 1"):
            path.report(names=["a"])

    def test_nothing_comes_from_a_network(self, path: th.Path) -> None:
        page = path.report().html
        assert "default-src 'none'" in page
        assert set(re.findall(r"https?://[^\s\"'`)]+", page)) <= {"http://www.w3.org/2000/svg"}

    def test_an_empty_path_is_refused(self, path: th.Path) -> None:
        with pytest.raises(ValueError, match="no points"):
            th.Path(path.problem, [], path.rule, path.solver, path.tol).report()

    def test_save(self, path: th.Path, tmp_path: Path) -> None:
        path.report().save(tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == path.report().html


def opened(page: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    call = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    call += [
        "--enable-logging=stderr",
        "--virtual-time-budget=3000",
        f"--user-data-dir={page.parent}/profile",
    ]
    done = subprocess.run(
        [*call, *options, page.as_uri()], capture_output=True, text=True, check=True, timeout=120
    )
    assert "CONSOLE" not in done.stderr, done.stderr
    return done


def cards(dom: str) -> dict[str, str]:
    return {html.unescape(name): value for name, value in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", dom)}


@needs_browser
class TestBrowser:
    @pytest.fixture
    def page(self, path: th.Path, tmp_path: Path) -> Path:
        place = tmp_path / "page.html"
        scores = np.random.default_rng(0).random((5, len(path)))
        path.report(title="clouds", names=["a", "b", "c", "d"], scores=scores, chosen=path.C[3]).save(place)
        return place

    @staticmethod
    def dom_after(page: Path, script: str) -> str:
        acted = page.with_name("acted.html")
        acted.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
        return opened(acted, "--dump-dom").stdout

    def test_shows_the_chosen_point(self, page: Path, path: th.Path) -> None:
        dom = opened(page, "--dump-dom").stdout
        assert f'id="C" for="slider">{path.C[3]:.4g}<' in dom
        assert f"{path[3].primal:.6g}" in cards(dom)["primal"]
        for chart in ("paths", "rejection", "gap", "time", "score", "map"):
            assert re.search(rf'id="{chart}".*?<svg', dom, re.S)
        assert len(re.findall("<tr", dom)) == 2 + 5 + 12

    def test_the_slider_updates_everything(self, page: Path, path: th.Path) -> None:
        script = "const s = $('slider'); s.value = 0; s.dispatchEvent(new Event('input'));"
        dom = self.dom_after(page, script)
        first = path[len(path) - 1]
        assert f'id="C" for="slider">{first.C:.4g}<' in dom
        assert cards(dom)["primal"] == f"{first.primal:.6g}"
        upper = int((first.fates == th.UPPER).sum())
        assert f"UPPER {upper} (" in dom
        coefficients = re.search(r'id="coefficients">(.*?)</table>', dom, re.S)[1]
        shown = [float(value) for value in re.findall(r"<td>([-\d.e]+)</td>", coefficients)]
        np.testing.assert_allclose(shown[:4], first.coef, rtol=1e-5)

    def test_buttons_rows_and_charts_move_too(self, page: Path, path: th.Path) -> None:
        ascending = np.sort(path.C)
        for act, k in {
            "show(5); $('on').click();": 6,
            "show(5); $('back').click();": 4,
            "$('points').tBodies[0].rows[7].click();": 7,
            "const b = $('gap').getBoundingClientRect(); $('gap').dispatchEvent("
            "new PointerEvent('pointerdown', {clientX: b.right - 10, clientY: b.top + 50}));": 11,
        }.items():
            dom = self.dom_after(page, act)
            assert f'id="C" for="slider">{float(f"{ascending[k]:.4g}"):g}<' in dom, act

    def test_tables_are_copied_as_text(self, page: Path) -> None:
        script = (
            "document.execCommand = () => { document.title = document.activeElement.value; return true; };"
            "document.querySelector('button.copy[data-table=points]').click();"
        )
        title = re.search("<title>(.*?)</title>", self.dom_after(page, script), re.S)[1]
        assert title.startswith("C primal gap") or title.startswith("C\tprimal\tgap")

    def test_light_and_dark(self, page: Path) -> None:
        script = (
            "document.documentElement.dataset.theme = 'light'; const seen = [];"
            "for (let k = 0; k < 2; k++) { seen.push(getComputedStyle(document.body).backgroundColor);"
            "$('theme').click(); } document.title = seen.join(';');"
        )
        title = re.search("<title>(.*?)</title>", self.dom_after(page, script))[1]
        assert title == "rgb(255, 255, 255);rgb(20, 23, 28)"

    @pytest.mark.parametrize("width", [500, 1280])
    def test_screenshots_fit_the_width(self, page: Path, width: int) -> None:
        """Chromium has no windows narrower than 500; a phone's 360 is tested in a frame."""
        picture = page.with_name(f"{width}.png")
        opened(page, f"--window-size={width},2000", f"--screenshot={picture}")
        assert picture.stat().st_size > 20_000
        script = "document.title = document.documentElement.scrollWidth;"
        acted = page.with_name("wide.html")
        acted.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
        dom = opened(acted, f"--window-size={width},2000", "--dump-dom").stdout
        assert int(re.search(r"<title>(\d+)</title>", dom)[1]) <= width

    def test_a_phone(self, page: Path) -> None:
        inner = page.read_text().replace(
            "</body>",
            "<script>parent.postMessage(document.documentElement.scrollWidth, '*')</script></body>",
        )
        frame = page.with_name("phone.html")
        frame.write_text(
            "<!doctype html><body><script>onmessage = (e) => { document.title = e.data; };</script>"
            f'<iframe width="360" height="800" style="border: 0" srcdoc="{html.escape(inner)}"></iframe>'
        )
        dom = opened(frame, "--dump-dom").stdout
        assert re.search(r"<title>(\d+)</title>", dom)[1] == "360"

    def test_a_single_point(self, tmp_path: Path) -> None:
        th.svm_path(*data(), C=[1.0]).report().save(tmp_path / "one.html")
        assert "relative gap" in cards(opened(tmp_path / "one.html", "--dump-dom").stdout)
