"use strict";
// Pictures and sliders. All numbers and sentences come rounded and made from the findings ("told");
// nothing is computed here, and nothing is inserted as markup.
(async () => {
  const told = JSON.parse(document.getElementById("told").textContent);
  const find = (id) => document.getElementById(id);
  const views = {};
  const data = { path: {}, effects: {}, roc: {} }; // named data sets of the pictures
  const separated = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
  const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  // numbers.py rounds; this writes what is rounded.
  function shown(number) {
    if (number === 0) return "0";
    const power = Math.floor(Math.log10(Math.abs(number)) + 1e-12);
    let text;
    if (power >= -5 && power < 12) {
      text = separated.format(number);
    } else {
      const [mantissa, exponent] = number.toExponential().split("e");
      const raised = exponent.replace("+", "").replace("-", "⁻").replace(/\d/g, (d) => superscripts[d]);
      text = `${mantissa} × 10${raised}`;
    }
    return text.replace("-", "−");
  }

  async function draw(place) {
    const chart = place.dataset.chart;
    const spec = { ...told.charts[chart], datasets: { ...told.charts[chart].datasets, ...data[chart] } };
    if (chart === "effects") spec.height = barsHeight();
    if (place.clientWidth < 480) { // names get less room, legends a line each
      const { axis, axisY, legend } = spec.config;
      spec.config = {
        ...spec.config,
        axis: { ...axis, titleLimit: place.clientWidth - 70 },
        axisY: { ...axisY, labelLimit: 120 },
        legend: { ...legend, columns: 1 },
      };
    }
    const { view } = await vegaEmbed(place, spec, {
      actions: false, renderer: "svg", ast: true,
    });
    views[chart] = view;
  }

  function setData(chart, name, rows) {
    data[chart][name] = rows;
    const view = views[chart];
    if (!view) return;
    if (chart === "effects") view.height(barsHeight());
    view.data(name, rows).resize().runAsync();
  }

  const MOST_BARS = 30;
  const barsHeight = () => told.step * Math.max(data.effects.effects.length, 1);
  const models = told.models;
  let model = models ? models.chosen : 0;

  function showModel(position) {
    model = position;
    const shownModel = models.all[model];
    const select = find("output");
    const output = select ? Number(select.value) : 0;
    const template = find("feature-row").content.firstElementChild;
    let rows = shownModel.rows;
    // Effects, or coefficients where effects are not known.
    const weight = ([, , coef, effects]) => (effects.length ? effects : coef)[output];
    if (select) rows = [...rows].sort((a, b) => Math.abs(weight(b)) - Math.abs(weight(a)));
    const lines = rows.map(([column, when, coef, effects]) => {
      const line = template.cloneNode(true);
      const known = effects.length ? [shown(effects[output])] : [];
      const texts = [models.names[column], shown(coef[output]), ...known, when || models.unmoved];
      [...line.cells].forEach((cell, place) => { cell.textContent = texts[place]; });
      return line;
    });
    find("features").tBodies[0].replaceChildren(...lines);
    find("intercept").textContent = shown(shownModel.intercept[output]);
    find("left-out").textContent = shownModel.left_out
      ? `And ${shownModel.left_out.toLocaleString("en-US")} features of smaller effect.` : "";
    find("of-class").textContent = select ? `, for ${select.selectedOptions[0].textContent}` : "";
    const drawn = rows.slice(0, MOST_BARS).map((row) => [models.names[row[0]], weight(row)]);
    const bars = (drawn.length ? drawn : [["no feature", 0]])
      .map(([name, effect], rank) => ({ name, effect, rank, key: told.key + name }));
    find("bars-more").textContent = rows.length + shownModel.left_out > MOST_BARS
      ? `The ${MOST_BARS} largest are drawn.` : "";
    setData("effects", "effects", bars);
    const slider = find("size");
    if (!slider) return;
    slider.value = model;
    slider.setAttribute("aria-valuetext", shownModel.said);
    find("said").textContent = shownModel.said;
    find("fewer").setAttribute("aria-disabled", model === 0);
    find("more").setAttribute("aria-disabled", model === models.all.length - 1);
    find("back").setAttribute("aria-disabled", model === models.chosen);
    setData("path", "current", [{ size: shownModel.size, error: shownModel.error }]);
  }

  function showThreshold(position) {
    const step = told.threshold.all[position];
    const slider = find("threshold");
    slider.value = position;
    slider.setAttribute("aria-valuetext", step.said);
    find("threshold-said").textContent = step.said;
    find("own-threshold").setAttribute("aria-disabled", position === told.threshold.own);
    [...find("confusion").tBodies[0].rows].forEach((line, truth) => {
      const total = step.cells[truth][0] + step.cells[truth][1];
      step.cells[truth].forEach((number, taken) => {
        const cell = line.cells[taken + 1];
        const share = total ? number / total : 0;
        cell.querySelector("b").textContent = number.toLocaleString("en-US");
        cell.querySelector("span").textContent = `${Number((100 * share).toFixed(1))}%`;
        cell.style.setProperty("--shade", share.toFixed(3));
      });
    });
    setData("roc", "threshold", [{ x: step.x, y: step.y }]);
  }

  if (models) {
    showModel(models.chosen);
    if (find("output")) find("output").addEventListener("change", () => showModel(model));
    if (find("size")) {
      find("size").addEventListener("input", (event) => showModel(Number(event.target.value)));
      find("fewer").addEventListener("click", () => showModel(Math.max(model - 1, 0)));
      find("more").addEventListener("click", () => showModel(Math.min(model + 1, models.all.length - 1)));
      find("back").addEventListener("click", () => showModel(models.chosen));
    }
  }
  if (told.threshold) {
    showThreshold(told.threshold.own);
    find("threshold").addEventListener("input", (event) => showThreshold(Number(event.target.value)));
    find("own-threshold").addEventListener("click", () => showThreshold(told.threshold.own));
  }
  await Promise.all([...document.querySelectorAll("[data-chart]")].map(draw));
  document.documentElement.dataset.ready = "yes";
})();
