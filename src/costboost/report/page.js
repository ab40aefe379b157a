"use strict";
// Predicts again under other costs, on the held-out rows that the page embeds. Every number is
// what the library computes for the same costs; interactive.py formats the same texts.
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const Z = 1.959963984540054;

  // ---- data -----------------------------------------------------------------------------------
  const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };
  function unpack(field) {
    if (!field) return null;
    const text = atob(field.data), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new KINDS[field.type](bytes.buffer);
  }
  // Sums over each level and all above it; the last one is 0.
  function fromHere(values) {
    const sums = new Float64Array(values.length + 1);
    for (let k = values.length - 1; k >= 0; k--) sums[k] = sums[k + 1] + values[k];
    return sums;
  }
  function firstAbove(sorted, limit) {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] > limit) high = middle; else low = middle + 1;
    }
    return low;
  }
  const thresholdOf = (fn, fp) => (fp / 2) / (fp / 2 + fn / 2);

  // Rows grouped by limit: the rows predicted positive are those from some level on.
  class Levels {
    constructor() {
      this.key = unpack(page.key);
      this.top = unpack(page.top) || this.key;
      this.size = this.key.length;
      this.all = this.sums("pos", "neg");
      if (page.blindPos) this.blindOnes = this.sums("blindPos", "blindNeg");
    }
    sums(pos, neg) {
      const side = name => {
        const rows = fromHere(unpack(page[name]));
        const money = page[name + "Money"] ? fromHere(unpack(page[name + "Money"])) : rows;
        const squares = page[name + "Squares"] ? fromHere(unpack(page[name + "Squares"])) : money;
        return { rows, money, squares };
      };
      return { pos: side(pos), neg: side(neg) };
    }
    decide(fn, fp, goal) {
      let start = page.from, threshold = null;
      if (page.mode === "threshold") {
        threshold = thresholdOf(fn, fp);
        start = firstAbove(this.key, threshold);
        if (page.binned && start > 0) threshold = Math.max(threshold, this.top[start - 1]);
      } else if (page.mode === "factor") {
        start = firstAbove(this.key, fp / fn);
      }
      const hits = this.all.pos.rows, wanted = goal * hits[0] - 1e-9 * hits[0];
      let lowered = false;
      while (hits[start] < wanted && start > 0) { start--; lowered = true; }
      if (lowered && threshold !== null) threshold = this.key[start];
      return { start, threshold, lowered };
    }
    blind() {
      if (page.mode === "threshold") return { start: firstAbove(this.key, 0.5) };
      return page.mode === "fixed" ? { start: page.blind } : "blind";
    }
    none() { return { start: this.size }; }
    everybody() { return { start: 0 }; }
    // Rows predicted positive: weights of each class, and the costs that depend on them.
    predicted(way) {
      const { pos, neg } = way === "blind" ? this.blindOnes : this.all;
      const k = way === "blind" ? 0 : way.start;
      return { hits: pos.rows[k], alarms: neg.rows[k], hitMoney: pos.money[k], alarmMoney: neg.money[k] };
    }
    totals() { return this.predicted(this.everybody()); }
    // Sum and sum of squares of the savings of the rows, one rule compared with another.
    saved(way, other, fn, fp) {
      const part = (sums, from, to, sign) => ({
        sum: sign * (fn * (sums.pos.money[from] - sums.pos.money[to]) - fp * (sums.neg.money[from] - sums.neg.money[to])),
        squares: fn * fn * (sums.pos.squares[from] - sums.pos.squares[to]) + fp * fp * (sums.neg.squares[from] - sums.neg.squares[to]),
      });
      const add = (...parts) => parts.reduce((a, b) => ({ sum: a.sum + b.sum, squares: a.squares + b.squares }));
      if (other !== "blind") {
        const a = way.start, b = other.start;
        return a <= b ? part(this.all, a, b, 1) : part(this.all, b, a, -1);
      }
      const k = way.start, end = this.size, both = part(this.blindOnes, k, end, 1), mine = part(this.all, k, end, 1);
      const onlyMine = { sum: mine.sum - both.sum, squares: mine.squares - both.squares };
      return add(onlyMine, part(this.blindOnes, 0, k, -1));
    }
  }

  // Rows with costs of rows, in the order of the factors.
  class Rows {
    constructor() {
      for (const name of ["key", "rowFn", "rowFp", "weight", "positive", "tie"]) this[name] = unpack(page[name]);
      this.size = this.key.length;
    }
    flags(rule) {
      const predicted = new Uint8Array(this.size);
      for (let i = 0; i < this.size; i++) predicted[i] = rule(i) ? 1 : 0;
      return predicted;
    }
    decide(fn, fp, goal) {
      const { key, rowFn, rowFp, positive, weight } = this;
      const predicted = this.flags(i => key[i] > thresholdOf(fn * rowFn[i], fp * rowFp[i]));
      let hits = 0, all = 0;
      for (let i = 0; i < this.size; i++) if (positive[i]) { all += weight[i]; if (predicted[i]) hits += weight[i]; }
      let lowered = false, i = this.size - 1;
      for (; i >= 0 && (hits < goal * all - 1e-9 * all || (lowered && this.tie[i + 1])); i--) {
        if (predicted[i]) continue;
        predicted[i] = 1; lowered = true;
        if (positive[i]) hits += weight[i];
      }
      return { predicted, threshold: null, lowered };
    }
    blind() { return { predicted: this.flags(i => this.key[i] > 0.5) }; }
    none() { return { predicted: new Uint8Array(this.size) }; }
    everybody() { return { predicted: this.flags(() => true) }; }
    predicted(way) {
      const found = { hits: 0, alarms: 0, hitMoney: 0, alarmMoney: 0 };
      for (let i = 0; i < this.size; i++) {
        if (!way.predicted[i]) continue;
        const w = this.weight[i];
        if (this.positive[i]) { found.hits += w; found.hitMoney += w * this.rowFn[i]; }
        else { found.alarms += w; found.alarmMoney += w * this.rowFp[i]; }
      }
      return found;
    }
    totals() { return this.predicted(this.everybody()); }
    saved(way, other, fn, fp) {
      let sum = 0, squares = 0;
      for (let i = 0; i < this.size; i++) {
        if (way.predicted[i] === other.predicted[i]) continue;
        const lost = this.weight[i] * (this.positive[i] ? fn * this.rowFn[i] : fp * this.rowFp[i]);
        sum += way.predicted[i] === this.positive[i] ? lost : -lost;
        squares += lost * lost;
      }
      return { sum, squares };
    }
  }

  const held = page.mode === "rows" ? new Rows() : new Levels();
  const totals = held.totals();
  const weight = totals.hits + totals.alarms;

  // ---- numbers as text --------------------------------------------------------------------------
  function number(value, decimals) {
    // Further digits depend on the order of summation, and must not decide how a half is rounded.
    const known = Number(Math.abs(value).toPrecision(12));
    let [whole, rest = ""] = known.toFixed(decimals).split(".");
    whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    rest = rest.replace(/0+$/, "");
    const text = rest ? whole + "." + rest : whole;
    return value < 0 && text !== "0" ? "\u2212" + text : text;
  }
  const unit = page.style.unit ? " " + page.style.unit : "";
  const amount = value => number(value, page.style.total);
  const money = (value, decimals = page.style.total) => number(value, decimals) + unit;
  const count = value => number(value, page.style.rows);
  const share = value => value === null ? "\u2013" : number(100 * value, 1) + " %";

  // ---- predictions ------------------------------------------------------------------------------
  function outcome(way, fn, fp) {
    const positive = held.predicted(way);
    const misses = totals.hits - positive.hits;
    const missMoney = fn * (totals.hitMoney - positive.hitMoney), alarmMoney = fp * positive.alarmMoney;
    return {
      hits: positive.hits, misses, alarms: positive.alarms, rejects: totals.alarms - positive.alarms,
      missMoney, alarmMoney, cost: missMoney + alarmMoney,
    };
  }
  function interval(way, other, fn, fp) {
    const { sum, squares } = held.saved(way, other, fn, fp), n = page.n;
    const half = Z * Math.sqrt(Math.max(0, squares - sum * sum / n) * n / Math.max(1, n - 1));
    return { money: sum, low: sum - half, high: sum + half };
  }
  function texts(fn, fp, goal) {
    const way = held.decide(fn, fp, goal), now = outcome(way, fn, fp);
    const ways = { model: way, blind: held.blind(), none: held.none(), all: held.everybody() };
    const costs = {}, found = {};
    for (const name in ways) {
      const other = outcome(ways[name], fn, fp);
      costs[name] = other.cost;
      found[name + "-cost"] = amount(other.cost);
      found[name + "-misses"] = count(other.misses);
      found[name + "-alarms"] = count(other.alarms);
      if (name === "model") continue;
      const less = interval(way, ways[name], fn, fp);
      found[name + "-saved"] = amount(less.money);
      found[name + "-low"] = amount(less.low);
      found[name + "-high"] = amount(less.high);
    }
    const best = costs.all < costs.none ? "all" : "none", saved = interval(way, ways[best], fn, fp);
    const predicted = now.hits + now.alarms;
    const limit = page.mode === "fixed" ? "fixed" : way.threshold === null ? "by row" : number(way.threshold, 4);
    Object.assign(found, {
      threshold: way.lowered ? limit + " (goal)" : limit,
      cost: money(now.cost), mean: money(now.cost / weight, page.style.mean),
      saved: money(saved.money), "saved-low": amount(saved.low), "saved-high": money(saved.high),
      "saved-share": share(costs[best] ? saved.money / costs[best] : null),
      hits: count(now.hits), misses: count(now.misses), alarms: count(now.alarms), rejects: count(now.rejects),
      "miss-money": money(now.missMoney), "alarm-money": money(now.alarmMoney),
      recall: share(now.hits / totals.hits), precision: share(predicted ? now.hits / predicted : null),
      fpr: share(now.alarms / totals.alarms), "now-fn": cost(fn), "now-fp": cost(fp),
    });
    const greatest = fn * totals.hitMoney + fp * totals.alarmMoney;
    const points = {
      skew: [fp * totals.alarmMoney / greatest, now.cost / greatest],
      roc: [now.alarms / totals.alarms, now.hits / totals.hits],
    };
    return { found, costs, points, threshold: way.threshold };
  }
  const plain = value => String(Number(value.toPrecision(12)));
  const cost = value => page.perRow ? "\u00d7 " + plain(value) : plain(value) + unit;

  // ---- display ----------------------------------------------------------------------------------
  function place(svg, x, y) {
    const [left, right, bottom, top] = svg.dataset.frame.split(",").map(Number);
    const [x0, x1, y0, y1] = svg.dataset.axes.split(",").map(Number);
    const inside = (v, low, high) => Math.min(Math.max(v, low), high);
    return [
      left + (inside(x, x0, x1) - x0) / (x1 - x0) * (right - left),
      bottom - (inside(y, y0, y1) - y0) / (y1 - y0) * (bottom - top),
    ];
  }
  function show(fn, fp, goal) {
    const { found, costs, points, threshold } = texts(fn, fp, goal);
    for (const node of document.querySelectorAll("[data-out]")) node.textContent = found[node.dataset.out];
    const most = Math.max(...Object.values(costs)) || 1;
    for (const bar of document.querySelectorAll("[data-bar]")) bar.style.width = 100 * costs[bar.dataset.bar] / most + "%";
    for (const dot of document.querySelectorAll("[data-point]")) {
      const svg = dot.closest("svg"), [value, height] = points[dot.dataset.point];
      const [x, y] = place(svg, value, height);
      dot.classList.toggle("beyond", height > Number(svg.dataset.axes.split(",")[3]));
      dot.setAttribute("cx", x.toFixed(1));
      dot.setAttribute("cy", y.toFixed(1));
    }
    for (const line of document.querySelectorAll("[data-upright]")) {
      const [x] = place(line.closest("svg"), threshold, 0);
      line.setAttribute("x1", x.toFixed(1));
      line.setAttribute("x2", x.toFixed(1));
    }
  }

  // ---- sliders ----------------------------------------------------------------------------------
  const base = { fn: page.fn, fp: page.fp };
  const now = { fn: page.fn, fp: page.fp, goal: 0 };
  const field = name => document.getElementById(name);
  const atPlace = (name, k) => k === 0 ? base[name] : Number((base[name] * 10 ** (k / 100)).toPrecision(3));
  const placeOf = (name, value) => Math.min(200, Math.max(-200, Math.round(100 * Math.log10(value / base[name]))));
  const settled = { ...now };  // values before a box is edited
  function set(name, value, typed) {
    now[name] = value;
    if (!typed) settled[name] = value;
    const slider = field(name), box = field(name + "-box");
    if (name === "goal") {
      slider.value = 100 * value;
      slider.setAttribute("aria-valuetext", value ? number(100 * value, 1) + " % of the positives found" : "no goal");
      if (!typed) box.value = number(100 * value, 1);
    } else {
      slider.value = placeOf(name, value);
      slider.setAttribute("aria-valuetext", cost(value));
      if (!typed) box.value = plain(value);
    }
    accept(name);
    show(now.fn, now.fp, now.goal);
  }
  for (const name of ["fn", "fp"])
    field(name).addEventListener("input", event => set(name, atPlace(name, Number(event.target.value))));
  field("goal").addEventListener("input", event => set("goal", Number(event.target.value) / 100));

  // ---- boxes ------------------------------------------------------------------------------------
  const isCost = value => value > 0 && Number.isFinite(value), isPercent = value => value >= 0 && value <= 100;
  const boxes = {
    fn: { fits: isCost, from: value => value, must: "a cost must be above 0", text: cost },
    fp: { fits: isCost, from: value => value, must: "a cost must be above 0", text: cost },
    goal: { fits: isPercent, from: value => value / 100, must: "a goal is from 0 to 100 %", text: value => value ? number(100 * value, 1) + " %" : "no goal" },
  };
  function accept(name) {
    field(name + "-box").removeAttribute("aria-invalid");
    field(name + "-refused").textContent = "";
  }
  // Return to the value before the box was edited, not to a valid beginning of what was typed.
  function refuse(name) {
    set(name, settled[name], true);
    field(name + "-box").setAttribute("aria-invalid", "true");
  }
  function explain(name) {
    const box = field(name + "-box"), { must, text } = boxes[name], typed = box.validity.badInput ? "This" : box.value;
    field(name + "-refused").textContent = typed && `${typed} is not used: ${must}. In use: ${text(now[name])}.`;
  }
  for (const [name, { fits, from }] of Object.entries(boxes)) {
    const box = field(name + "-box");
    box.addEventListener("input", () => {
      const value = box.value === "" ? NaN : Number(box.value);
      if (fits(value)) return set(name, from(value), true);
      refuse(name);
      if (value !== 0) explain(name);  // 0 may be the beginning of 0.5
    });
    // After editing, the box shows the value in use, and the text below it the reason.
    box.addEventListener("change", () => {
      if (box.hasAttribute("aria-invalid")) explain(name);
      const why = field(name + "-refused").textContent;
      set(name, now[name]);
      field(name + "-refused").textContent = why;
    });
  }
  field("reset").addEventListener("click", () => { set("fn", base.fn); set("fp", base.fp); set("goal", 0); });
  field("controls").hidden = false;
  set("fn", base.fn); set("fp", base.fp); set("goal", 0);
  document.documentElement.dataset.ready = "true";
})();
