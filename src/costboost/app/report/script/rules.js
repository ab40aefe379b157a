// Decision rules on the held-out rows: who is predicted positive at which costs.
// Where a cost is not above 0, one prediction is the best whatever the class is; as Costs.threshold.
function thresholdOf(fn, fp) {
  if (fp < 0 && fn > fp) return -1;
  return fn > 0 && fp >= 0 ? (fp / 2) / (fp / 2 + fn / 2) : 2;
}

// Rows grouped by limit: the rows predicted positive are those from some level on.
class Levels {
  constructor() {
    this.key = unpack(page.key);
    this.top = unpack(page.top) || this.key;
    this.size = this.key.length;
    this.all = this.sums("pos", "neg");
    if (page.blindPos) this.blindOnes = this.sums("blindPos", "blindNeg");
    if (page.costsKey) {
      this.byOwnCosts = { key: unpack(page.costsKey), ...this.sums("costsPos", "costsNeg") };
      this.both = { key: unpack(page.bothKey), ...this.sums("bothPos", "bothNeg") };
    }
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
  byCosts(fn, fp) { return { ratio: fp / fn }; }
  // Rows predicted positive: weights of each class, and the costs that depend on them.
  predicted(way) {
    const { pos, neg, key } = way === "blind" ? this.blindOnes : way.ratio ? this.byOwnCosts : this.all;
    const k = way === "blind" ? 0 : way.ratio ? firstAbove(key, way.ratio) : way.start;
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
    if (other.ratio) {
      const from = (sums, k) => part(sums, k, sums.pos.money.length - 1, 1), above = sums => from(sums, firstAbove(sums.key, other.ratio));
      const mine = from(this.all, way.start), theirs = above(this.byOwnCosts), both = above(this.both);
      // With a goal, more rows are positive than those of "both": the squares are then an upper bound.
      const all = mine.squares + theirs.squares, squares = all - 2 * both.squares;
      return squares > 1e-12 * all ? { sum: mine.sum - theirs.sum, squares } : { sum: 0, squares: 0 };
    }
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
  byCosts(fn, fp) { return { predicted: this.flags(i => page.share > thresholdOf(fn * this.rowFn[i], fp * this.rowFp[i])) }; }
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
